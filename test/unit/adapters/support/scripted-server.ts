import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as a service sees it. */
export interface ServiceRequest {
  /** Operation of a JSON service (`SendMessageBatch`), else method and path. */
  readonly operation: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ServiceReply {
  readonly status?: number;
  readonly body?: string;
}

export interface ScriptedServer {
  readonly endpoint: string;
  readonly requests: readonly ServiceRequest[];
  readonly close: () => Promise<void>;
}

/** A service in this process that gives the scripted replies in turn, and refuses what is not in the script. */
export async function openScriptedServer(
  script: readonly ((request: ServiceRequest) => ServiceReply)[],
): Promise<ScriptedServer> {
  const requests: ServiceRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const target = incoming.headers['x-amz-target'];
    const request = {
      operation: typeof target === 'string' ? target.replace(/^.*\./, '') : `${incoming.method} ${incoming.url}`,
      headers: incoming.headers,
      body: await text(incoming),
    };
    const reply = script[requests.length] ?? refuse;
    requests.push(request);
    const { status = 200, body = '{}' } = reply(request);
    const type = body.startsWith('<') ? 'application/xml' : 'application/x-amz-json-1.0';
    outgoing.writeHead(status, { 'content-type': type }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function refuse({ operation }: ServiceRequest): ServiceReply {
  return {
    status: 400,
    body: JSON.stringify({ __type: 'NotInTheScript', message: `${operation} is not in the script.` }),
  };
}
