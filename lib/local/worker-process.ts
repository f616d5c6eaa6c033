import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FunctionLog } from './function-log.ts';
import type { FunctionSpec } from './function-spec.ts';
import type { InvocationOutcome } from './invocation.ts';
import { splitLines } from './split-lines.ts';
import { type FunctionError, type InvokeMessage, type WorkerAnswer, workerAnswerSchema } from './worker-messages.ts';

const WORKER_MAIN = fileURLToPath(new URL('./worker-main.ts', import.meta.url));
// Lambda gives initialisation 10 s; a laptop that bundles and starts everything at once may be slower.
const INIT_LIMIT_MILLIS = 60_000;

export type StartResult =
  | { readonly kind: 'started'; readonly worker: WorkerProcess }
  | { readonly kind: 'not-started'; readonly error: FunctionError };

interface Exit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of a function, also one that is still loading its handler. */
export interface SpawnedProcess {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  /** Does nothing to a process that is gone, whoever has its id by now. */
  kill(): void;
}

/** One warm environment of a function: a process that takes one event at a time. */
export class WorkerProcess {
  readonly pid: number;
  readonly #exited: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #timeoutMillis: number;
  #alive = true;

  private constructor(child: ChildProcess, pid: number, exited: Promise<Exit>, timeoutMillis: number) {
    this.#child = child;
    this.pid = pid;
    this.#exited = exited;
    this.#timeoutMillis = timeoutMillis;
    void exited.then(() => {
      this.#alive = false;
    });
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Starts a process and waits until it has loaded the handler. */
  static async start(
    spec: FunctionSpec,
    log: FunctionLog,
    onSpawn: (spawned: SpawnedProcess) => void,
  ): Promise<StartResult> {
    const child = fork(WORKER_MAIN, [spec.handlerFile, spec.exportName], {
      cwd: spec.taskRoot,
      env: { ...spec.environment },
      // Near what Lambda lets Node use, so that a leak ends in the same way.
      execArgv: [`--max-old-space-size=${Math.floor(spec.memoryMegabytes * 0.9)}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const exited = exitOf(child);
    const { pid } = child;
    if (pid === undefined) return initError(`No process could be started with ${process.execPath}.`);
    onSpawn({ pid, exited, kill: () => void child.kill('SIGKILL') });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null)
        splitLines(stream, (text) => log.append({ functionName: spec.name, at: Date.now(), pid, text }));
    }
    const result = await initialise(child, exited);
    if (result.kind === 'ready') {
      return { kind: 'started', worker: new WorkerProcess(child, pid, exited, spec.timeoutMillis) };
    }
    child.kill('SIGKILL');
    await exited;
    return result;
  }

  /** Calls the handler with one event. Kills the process when the function's timeout passes, as Lambda does. */
  async invoke(requestId: string, event: unknown): Promise<InvocationOutcome> {
    const timeoutMillis = this.#timeoutMillis;
    const answered = nextAnswer(this.#child, (answer) => outcomeOf(answer, requestId));
    let timedOut = false;
    const ended = this.#exited.then((exit): InvocationOutcome => {
      return timedOut ? { kind: 'timed-out', timeoutMillis } : { kind: 'crashed', ...exit };
    });
    const timer = setTimeout(() => {
      timedOut = true;
      this.#child.kill('SIGKILL');
    }, timeoutMillis);
    const message: InvokeMessage = { kind: 'invoke', requestId, event, deadlineMillis: Date.now() + timeoutMillis };
    // A process that has just died refuses the message; its exit is the outcome.
    this.#child.send(message, () => {});
    const outcome = await Promise.race([answered.promise, ended]);
    clearTimeout(timer);
    answered.stop();
    return outcome;
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    // Without a process there is no exit to wait for.
    child.once('error', () => {
      if (child.pid === undefined) resolve({ exitCode: null, signal: null });
    });
  });
}

type InitResult = { readonly kind: 'ready' } | { readonly kind: 'not-started'; readonly error: FunctionError };

async function initialise(child: ChildProcess, exited: Promise<Exit>): Promise<InitResult> {
  const answered = nextAnswer(child, initResultOf);
  const ended = exited.then(({ exitCode, signal }) =>
    initError(`The process ended while it loaded the handler (${signal ?? `exit code ${exitCode}`}).`),
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<InitResult>((resolve) => {
    const error = initError(`The handler was not loaded within ${INIT_LIMIT_MILLIS / 1000} s.`);
    timer = setTimeout(resolve, INIT_LIMIT_MILLIS, error);
  });
  const result = await Promise.race([answered.promise, ended, late]);
  clearTimeout(timer);
  answered.stop();
  return result;
}

function initResultOf(answer: WorkerAnswer): InitResult | undefined {
  if (answer.kind === 'ready') return { kind: 'ready' };
  return answer.kind === 'init-failed' ? { kind: 'not-started', error: answer.error } : undefined;
}

function outcomeOf(answer: WorkerAnswer, requestId: string): InvocationOutcome | undefined {
  if (!('requestId' in answer) || answer.requestId !== requestId) return undefined;
  return answer.kind === 'succeeded'
    ? { kind: 'succeeded', result: JSON.parse(answer.result) }
    : { kind: 'failed', error: answer.error };
}

interface Answered<T> {
  readonly promise: Promise<T>;
  stop(): void;
}

/** The first answer that `pick` makes something of. */
function nextAnswer<T>(child: ChildProcess, pick: (answer: WorkerAnswer) => T | undefined): Answered<T> {
  let listener: (message: unknown) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    listener = (message) => {
      // User code may send messages of its own to its parent; they mean nothing here.
      const answer = workerAnswerSchema.safeParse(message);
      const picked = answer.success ? pick(answer.data) : undefined;
      if (picked !== undefined) resolve(picked);
    };
    child.on('message', listener);
  });
  return { promise, stop: () => child.off('message', listener) };
}

const initError = (errorMessage: string): Extract<InitResult, { kind: 'not-started' }> => ({
  kind: 'not-started',
  error: { errorType: 'Runtime.InitError', errorMessage, trace: [] },
});
