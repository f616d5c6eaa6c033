// The store in a process of its own, as everywhere but in tests: prints its endpoint, ends with its parent.
import { startEmbeddedStore } from '../../lib/local/embedded-store.ts';

const store = await startEmbeddedStore();
process.on('disconnect', () => process.exit(0));
process.send?.(store.endpoint);
