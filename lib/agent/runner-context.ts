import type * as z from 'zod';
import type { DurableCall } from '../durable/durable-call.ts';
import type { SignalOptions, SleepOptions } from '../durable/wait-options.ts';
import type { EventDraft, OutputDraft } from '../events/event.ts';
import type { Config } from './config.ts';
import type { AnyResources, NamesOf, ResourceMap, ResourceTypeName } from './resource.ts';

/** Memory of named values. An action sees what was committed when it first started, plus its own writes. */
export interface Memory {
  /** The value, `undefined` when there is none. With a schema it is parsed. */
  get(field: string): Promise<unknown>;
  get<Schema extends z.ZodType>(field: string, schema: Schema): Promise<z.output<Schema> | undefined>;
  has(field: string): Promise<boolean>;
  /** Committed when the action finishes. `undefined` clears the field. Field names have 1 to 128 bytes. */
  set(field: string, value: unknown): void;
}

/** What an action may do besides computing. Bound to one action of one run. */
export interface RunnerContext<Output = unknown, Resources extends ResourceMap = AnyResources> {
  /** The run's id: the request id. Stable over retries and replays, hence an idempotency key. */
  readonly runId: string;
  /** The run's key, when it has one. */
  readonly key: string | undefined;
  readonly agentName: string;
  readonly actionName: string;
  readonly config: Config;
  /** This run's memory; gone when the run ends. */
  readonly sensoryMemory: Memory;
  /** The key's memory, kept from run to run. A run without a key has none that outlives it. */
  readonly shortTermMemory: Memory;
  /** Sends an event when the action finishes. @throws AgentError `INVALID_EVENT`, `NOT_SERIALIZABLE`; TerminalError for an output that the agent's `output` schema refuses */
  sendEvent(event: EventDraft | OutputDraft<Output>): void;
  /** Runs a side effect and records its outcome; a replay gives the recorded one. */
  durableExecute<T>(call: DurableCall<T>): Promise<T>;
  /** Waits without compute: the run costs nothing meanwhile, and goes on at that time also after any crash. */
  sleep(millis: number, options?: SleepOptions): Promise<void>;
  /**
   * Waits without compute for a signal that somebody sends to the run: `{ signal: { requestId, name, value } }`. Signals of a name are
   * taken in the order in which they arrived, also before anybody waits; `undefined`: none came in time.
   * @throws AgentError `INVALID_SIGNAL` for a value that the schema refuses
   */
  waitForSignal(name: string, options?: { readonly timeoutMillis?: number }): Promise<unknown>;
  waitForSignal<Schema extends z.ZodType>(
    name: string,
    options: SignalOptions<Schema> & { readonly schema: Schema },
  ): Promise<z.output<Schema> | undefined>;
  getResource<Kind extends ResourceTypeName, Name extends NamesOf<Resources, Kind>>(
    name: Name,
    type: Kind,
  ): Resources[Kind][Name];
  hasResource(name: string, type: ResourceTypeName): boolean;
}
