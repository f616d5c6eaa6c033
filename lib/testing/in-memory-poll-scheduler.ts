import type { Clock } from '../ports/clock.ts';
import type { Poller, PollRound, PollScheduler } from '../ports/poll-scheduler.ts';

/** How often the machine repeats a round that failed, and the first wait before it. */
const MAX_RETRIES = 3;
const RETRY_MILLIS = 2_000;

/** One execution of the status poller. */
export interface PollExecution {
  readonly name: string;
  /** The round that comes next. */
  round: PollRound;
  /** When it comes, milliseconds since 1970. */
  nextAt: number;
  /** Times that this round has failed. */
  failures: number;
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED';
  /** States entered: what Step Functions charges. */
  transitions: number;
}

/** The state machine of the status poller in memory: it waits, and hands a round to whoever takes it. */
export class InMemoryPollScheduler implements PollScheduler {
  /** Every execution, in the order of the starts. */
  readonly executions: PollExecution[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async start({ runId, ttl, intervalMillis, generation }: Poller): Promise<'polling' | 'closed'> {
    const name = [runId, ttl, intervalMillis, generation].join(' ');
    const known = this.executions.find((execution) => execution.name === name);
    if (known) return known.status === 'RUNNING' ? 'polling' : 'closed';
    const waitSeconds = Math.floor(intervalMillis / 1_000);
    const round = { runId, ttl, intervalMillis, generation, round: 0, notBefore: 0, waitSeconds, done: false };
    const nextAt = this.#clock.now() + waitSeconds * 1_000;
    this.executions.push({ name, round, nextAt, failures: 0, status: 'RUNNING', transitions: 1 });
    return 'polling';
  }

  /** The executions that go on, in the order of their next rounds. */
  open(): readonly PollExecution[] {
    return this.executions.filter(({ status }) => status === 'RUNNING').sort((a, b) => a.nextAt - b.nextAt);
  }

  /** The execution whose round is due for longest. */
  due(): PollExecution | undefined {
    const [first] = this.open();
    return first !== undefined && first.nextAt <= this.#clock.now() ? first : undefined;
  }

  /** What the function answered to a round; `undefined`: it failed. */
  answer(execution: PollExecution, next: PollRound | undefined): void {
    execution.transitions += 1;
    if (next === undefined) return this.#fail(execution);
    execution.transitions += 2;
    execution.failures = 0;
    execution.round = next;
    execution.nextAt = this.#clock.now() + next.waitSeconds * 1_000;
    if (next.done) execution.status = 'SUCCEEDED';
  }

  /** Ends an execution from outside. */
  abort(execution: PollExecution): void {
    execution.status = 'ABORTED';
  }

  #fail(execution: PollExecution): void {
    execution.nextAt = this.#clock.now() + RETRY_MILLIS * 2 ** execution.failures;
    execution.failures += 1;
    if (execution.failures > MAX_RETRIES) execution.status = 'FAILED';
  }
}
