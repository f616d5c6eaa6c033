declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Milliseconds that a table stays in CREATING. */
    readonly createTableMs?: number;
  }

  /** A server that answers DynamoDB's API, with its data in memory. */
  export default function dynalite(options?: DynaliteOptions): Server;
}
