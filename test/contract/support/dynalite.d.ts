declare module 'dynalite' {
  import type { Server } from 'node:http';

  export interface DynaliteOptions {
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
    /** A folder for LevelDB. @default in memory */
    readonly path?: string;
  }

  export default function dynalite(options?: DynaliteOptions): Server;
}
