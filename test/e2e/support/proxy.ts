import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request on its way to a service. */
export interface PassingRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Called while the sender waits. `false` cuts the connection: the request, or its answer, is lost. */
export type ProxyHook = (request: PassingRequest) => boolean | Promise<boolean>;

export interface ProxyOptions {
  /** Before the request is passed on. @default passes everything on */
  readonly beforeRequest?: ProxyHook;
  /** When the service has done its work and the sender does not know yet. @default passes everything on */
  readonly beforeAnswer?: ProxyHook;
}

/** Stands between the functions and a service. */
export interface Proxy {
  readonly url: string;
  /** Names the service; requests that came before wait for it. */
  forwardTo(serviceUrl: string): void;
  close(): Promise<void>;
}

// They describe one connection, not the request.
const HOP_BY_HOP = [
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
];

/** Starts a proxy on 127.0.0.1 at which a test may stop any request or answer. */
export async function startProxy({ beforeRequest, beforeAnswer }: ProxyOptions): Promise<Proxy> {
  const service = Promise.withResolvers<string>();
  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy());
  });
  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await toRequest(incoming);
    if ((await beforeRequest?.(request)) === false) return void response.destroy();
    const { method, headers, body } = request;
    const answer = await fetch(new URL(request.path, await service.promise), {
      method,
      headers,
      ...(body === '' ? {} : { body }),
    });
    const text = await answer.text();
    if ((await beforeAnswer?.(request)) === false) return void response.destroy();
    response.writeHead(answer.status, withoutHopByHop(Object.fromEntries(answer.headers))).end(text);
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: service.resolve,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function toRequest(incoming: IncomingMessage): Promise<PassingRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? 'GET',
    path: incoming.url ?? '/',
    headers: withoutHopByHop(Object.fromEntries(headers)),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

const withoutHopByHop = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
