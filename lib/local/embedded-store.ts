import { once } from 'node:events';
import { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';

export interface EmbeddedService {
  /** Where it listens, on 127.0.0.1. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts the store: dynalite, in memory. */
export async function startEmbeddedStore(): Promise<EmbeddedService> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      // Not its own `close`: that closes the data under requests of killed functions, whose next step would then throw.
      Server.prototype.close.call(server);
      server.closeAllConnections();
      await closed;
    },
  };
}
