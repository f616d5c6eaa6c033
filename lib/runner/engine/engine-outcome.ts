import type { MemoryWrites } from './run-memory.ts';

/** A result of the run, with the id by which receivers tell repeats. */
export interface RunOutput {
  readonly eventId: string;
  /** Stored form of the payload. */
  readonly text: string;
}

/** Why a drive stopped before quiescence. */
export type StopReason =
  /** An action threw, a reconciler could not tell, the store failed: another attempt may help. */
  | { readonly kind: 'attempt-failed'; readonly error: unknown }
  /** A terminal error, or a recorded failure that nobody caught: another attempt could only repeat it. */
  | { readonly kind: 'failed'; readonly error: unknown }
  /** The code asks for something else than the journal holds. */
  | { readonly kind: 'mismatch'; readonly error: unknown }
  /** Everything that is left waits for something outside; it is recorded so. `until`: when the first wait ends by itself. */
  | { readonly kind: 'suspended'; readonly until: number | undefined }
  /** Too little time is left in this invocation. */
  | { readonly kind: 'continue' }
  /** The run carries a cancel mark. */
  | { readonly kind: 'cancelled' }
  /** The lease is over: somebody else may own the run. */
  | { readonly kind: 'lost' };

export type EngineOutcome =
  | {
      readonly kind: 'quiescent';
      readonly outputs: readonly RunOutput[];
      /** Last committed write of each field of the key's memory; `null`: cleared. */
      readonly shortTerm: MemoryWrites;
    }
  | StopReason;
