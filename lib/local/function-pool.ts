import { randomUUID } from 'node:crypto';
import type { FunctionLog } from './function-log.ts';
import type { FunctionSpec } from './function-spec.ts';
import { describeOutcome, type InvocationOutcome, type InvocationRecord } from './invocation.ts';
import { Semaphore } from './semaphore.ts';
import { type SpawnedProcess, type StartResult, WorkerProcess } from './worker-process.ts';

export interface FunctionPoolOptions {
  readonly spec: FunctionSpec;
  readonly log: FunctionLog;
  readonly onInvocation: (record: InvocationRecord) => void;
}

interface Invoked {
  readonly pid: number | undefined;
  readonly outcome: InvocationOutcome;
}

/**
 * The environments of one function. Each concurrent invocation has a process of its own, since handlers may keep state in
 * modules; a process that is done stays warm for the next event.
 */
export class FunctionPool {
  readonly spec: FunctionSpec;
  readonly #log: FunctionLog;
  readonly #onInvocation: (record: InvocationRecord) => void;
  readonly #permits: Semaphore;
  readonly #idle: WorkerProcess[] = [];
  readonly #processes = new Map<number, SpawnedProcess>();
  #closing = false;

  constructor({ spec, log, onInvocation }: FunctionPoolOptions) {
    this.spec = spec;
    this.#log = log;
    this.#onInvocation = onInvocation;
    this.#permits = new Semaphore(spec.maxConcurrency);
  }

  /** Processes that live now, those that are still loading included. */
  get pids(): readonly number[] {
    return [...this.#processes.keys()];
  }

  /** Starts one process ahead of the first event. */
  async warmUp(): Promise<StartResult> {
    const result = await this.#start();
    if (result.kind === 'started') this.#idle.push(result.worker);
    return result;
  }

  /** Runs the function once, in a warm process when there is one. Waits while all processes are busy. */
  async invoke(event: unknown): Promise<InvocationOutcome> {
    await this.#permits.acquire();
    const requestId = randomUUID();
    const startedAt = Date.now();
    try {
      const { pid, outcome } = await this.#invokeWorker(requestId, event);
      const { name: functionName } = this.spec;
      const endedAt = Date.now();
      this.#onInvocation({ functionName, requestId, pid, startedAt, endedAt, outcome: outcome.kind });
      const text = describeOutcome(requestId, outcome);
      if (text !== undefined) this.#log.append({ functionName, at: endedAt, pid: pid ?? 0, text });
      return outcome;
    } finally {
      this.#permits.release();
    }
  }

  /** Kills every process, busy ones too. */
  async close(): Promise<void> {
    this.#closing = true;
    const processes = [...this.#processes.values()];
    for (const { kill } of processes) kill();
    await Promise.all(processes.map(({ exited }) => exited));
  }

  async #invokeWorker(requestId: string, event: unknown): Promise<Invoked> {
    const warm = this.#takeIdle();
    const start: StartResult = warm === undefined ? await this.#start() : { kind: 'started', worker: warm };
    if (start.kind === 'not-started') return { pid: undefined, outcome: start };
    const { worker } = start;
    const outcome = await worker.invoke(requestId, event);
    if (worker.alive && outcome.kind !== 'timed-out') this.#idle.push(worker);
    return { pid: worker.pid, outcome };
  }

  // The one used last, so that others may stay cold, as on Lambda.
  #takeIdle(): WorkerProcess | undefined {
    for (let worker = this.#idle.pop(); worker !== undefined; worker = this.#idle.pop()) {
      if (worker.alive) return worker;
    }
    return undefined;
  }

  #start(): Promise<StartResult> {
    if (this.#closing) return Promise.resolve(CLOSED);
    return WorkerProcess.start(this.spec, this.#log, (spawned) => {
      this.#processes.set(spawned.pid, spawned);
      void spawned.exited.then(() => this.#processes.delete(spawned.pid));
    });
  }
}

const CLOSED: StartResult = {
  kind: 'not-started',
  error: { errorType: 'Runtime.Closed', errorMessage: 'The local stack is closed.', trace: [] },
};
