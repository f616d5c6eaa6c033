import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running HTTP service. */
export interface HttpService {
  readonly url: string;
  /** Cuts open connections and frees the port. */
  close(): Promise<void>;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  /** The body as text; `undefined`: it is too large. */
  readonly body: () => Promise<string | undefined>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: unknown;
}

// Far above anything that the demo agents send, far below what would fill the memory.
export const MAX_BODY_BYTES = 1024 * 1024;

/** Starts a small service on 127.0.0.1 that speaks JSON. What `answer` throws cuts the connection: the answer is lost. */
export async function startHttpService(
  port: number,
  answer: (request: HttpRequest, baseUrl: string) => Promise<HttpAnswer>,
): Promise<HttpService> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', (message, response) => {
    // Nothing that a sender may write, such as a target that is no URL, ends the process.
    const answered = (async () => answer(toRequest(message, url), url))();
    answered.then(
      ({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      () => response.destroy(),
    );
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, close };
}

export const refuse = (status: number, error: string): HttpAnswer => ({ status, body: { error } });

const toRequest = (message: IncomingMessage, baseUrl: string): HttpRequest => ({
  method: message.method ?? 'GET',
  url: new URL(message.url ?? '/', baseUrl),
  headers: message.headers,
  body: () => readBody(message),
});

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}
