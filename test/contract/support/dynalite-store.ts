import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';
import { createLocalClients } from './local-clients.ts';
import { createStore } from './store-table.ts';

/** Starts dynalite in this process, with an empty table. */
export async function openDynaliteStore() {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { dynamodb } = createLocalClients({ dynamodb: `http://127.0.0.1:${port}` });
  const store = await createStore(dynamodb);
  return {
    store,
    client: dynamodb,
    close: async () => {
      dynamodb.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
