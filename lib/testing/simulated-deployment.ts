import type { ConfigInput } from '../agent/config.ts';
import type { AgentDefinition } from '../agent/define-agent.ts';
import { compilePlans } from '../agent/plan.ts';
import { createStatusPoller } from '../polling/status-poller.ts';
import type { PollRound } from '../ports/poll-scheduler.ts';
import type { TraceRecord } from '../ports/trace-record.ts';
import type { AcceptResult } from '../runner/accept/accept-request.ts';
import type { RequestMessage } from '../runner/accept/request-message.ts';
import type { DriveResult } from '../runner/drive/settle-drive.ts';
import { endOfAge } from '../runner/retention.ts';
import { createRequestAcceptor, createRunDriver } from '../runner/runtime.ts';
import { sweepRuns } from '../runner/sweep-runs.ts';
import type { RunRecord } from '../store/run-record.ts';
import { RunStore } from '../store/run-store.ts';
import { CrashingProcess, type CrashPlan } from './crashing-process.ts';
import { InMemoryItemStore } from './in-memory-item-store.ts';
import { InMemoryPayloadStore } from './in-memory-payload-store.ts';
import { InMemoryPollScheduler } from './in-memory-poll-scheduler.ts';
import { InMemoryDeadLetterQueue, InMemoryOutputQueue, InMemoryWakeQueue } from './in-memory-queues.ts';
import { ManualClock } from './manual-clock.ts';
import { skipTime } from './skip-time.ts';

/** Times of the deployed functions, in milliseconds. */
const ACCEPT_TIMEOUT = 30_000;
const DRIVE_TIMEOUT = 300_000;
const POLL_TIMEOUT = 60_000;
const SWEEP_INTERVAL = 60_000;
/** A message that was not answered comes back after six times its consumer's timeout. */
const VISIBILITY_FACTOR = 6;

interface WaitingRequest {
  readonly message: RequestMessage;
  readonly visibleAt: number;
}

export interface SimulationOptions {
  readonly agents: readonly AgentDefinition[];
  readonly config?: ConfigInput;
  readonly crashes: CrashPlan;
  /** Time of one drive in milliseconds. @default 300,000 */
  readonly driveTimeoutMillis?: number;
}

/** A deployment in memory: its store, its queues and a clock that is moved, with the same functions as the real one. */
export class SimulatedDeployment {
  readonly clock = new ManualClock();
  readonly items = new InMemoryItemStore();
  readonly payloads = new InMemoryPayloadStore();
  readonly wakes = new InMemoryWakeQueue(this.clock);
  readonly outputs = new InMemoryOutputQueue(this.clock);
  readonly polls = new InMemoryPollScheduler(this.clock);
  readonly deadLetters = new InMemoryDeadLetterQueue();
  readonly traces: TraceRecord[] = [];
  readonly drives: DriveResult[] = [];
  readonly accepts: AcceptResult[] = [];
  private readonly options: SimulationOptions;
  private readonly requests: WaitingRequest[] = [];
  private nextSweep: number;
  private tokens = 0;
  private messages = 0;

  constructor(options: SimulationOptions) {
    this.options = options;
    this.nextSweep = this.clock.now() + SWEEP_INTERVAL;
  }

  /** Puts a message into the request queue; returns its id. */
  send(body: unknown, groupId = 'group', afterMillis = 0): string {
    this.messages += 1;
    const messageId = `message-${this.messages}`;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    this.requests.push({
      message: { messageId, groupId, sequenceNumber: String(this.messages), body: text },
      visibleAt: this.clock.now() + afterMillis,
    });
    return messageId;
  }

  /** When an unfinished run is FAILED. */
  endOfAge(run: RunRecord): number {
    const { agents, config } = this.options;
    const plan = compilePlans(agents, config).get(run.agent);
    return plan === undefined ? Number.POSITIVE_INFINITY : endOfAge(run.createdAt, plan.config);
  }

  run(runId: string): Promise<RunRecord | undefined> {
    return new RunStore(this.items).get(runId);
  }

  /** Delivers and sweeps until nothing is left to do before `until`; time is skipped in between. */
  async settle(until: () => Promise<boolean>): Promise<void> {
    const deadline = this.clock.now() + 90 * 86_400_000;
    while (!(await until())) {
      if (this.clock.now() > deadline)
        throw new Error('The simulated deployment did not come to an end within 90 days.');
      if (!(await this.step())) this.skipToNextEvent();
    }
  }

  /** Delivers one message that is visible. `false`: there is none. */
  async step(): Promise<boolean> {
    const now = this.clock.now();
    const place = this.requests.findIndex((request, index) => request.visibleAt <= now && this.isFirstOfGroup(index));
    const [waiting] = place >= 0 ? this.requests.splice(place, 1) : [];
    if (waiting) {
      const { message } = waiting;
      // In its old place: as long as it is not taken, no later message of its group is delivered.
      if (!(await this.accept(message)))
        this.requests.splice(place, 0, { message, visibleAt: this.clock.now() + ACCEPT_TIMEOUT * VISIBILITY_FACTOR });
      return true;
    }
    const wake = this.wakes.takeVisible();
    if (wake) {
      if (!(await this.drive(wake.wake)))
        this.wakes.giveBack(wake, this.clock.now() + this.driveTimeout * VISIBILITY_FACTOR);
      return true;
    }
    const execution = this.polls.due();
    if (execution) {
      this.polls.answer(execution, await this.poll(execution.round));
      return true;
    }
    if (now < this.nextSweep) return false;
    this.nextSweep = now + SWEEP_INTERVAL;
    const process = this.startProcess();
    await this.invoke(process, () => sweepRuns(process.ports));
    return true;
  }

  private isFirstOfGroup(place: number): boolean {
    const group = this.requests[place]?.message.groupId;
    return this.requests.findIndex(({ message }) => message.groupId === group) === place;
  }

  private skipToNextEvent(): void {
    const due = this.items.items().flatMap(({ gs, du }) => (String(gs).startsWith('due#') ? [Number(du)] : []));
    const times = [
      ...this.requests.filter((_request, place) => this.isFirstOfGroup(place)).map(({ visibleAt }) => visibleAt),
      ...this.wakes.waiting().map(({ visibleAt }) => visibleAt),
      ...this.polls.open().map(({ nextAt }) => nextAt),
      ...due.map((time) => this.sweepFrom(time)),
    ];
    const next = times.length === 0 ? this.nextSweep : Math.max(Math.min(...times), this.clock.now());
    this.nextSweep = this.sweepFrom(next);
    this.clock.advanceTo(next);
  }

  /** The first sweep that is not before `time`. One that finds nothing due changes nothing, so time passes over it. */
  private sweepFrom(time: number): number {
    return this.nextSweep + Math.ceil(Math.max(time - this.nextSweep, 0) / SWEEP_INTERVAL) * SWEEP_INTERVAL;
  }

  /** Whether nothing is on its way: no request and no wake. */
  get isIdle(): boolean {
    return this.requests.length === 0 && this.wakes.nextVisibleAt() === undefined;
  }

  private get driveTimeout(): number {
    return this.options.driveTimeoutMillis ?? DRIVE_TIMEOUT;
  }

  private startProcess(): CrashingProcess {
    return new CrashingProcess(
      {
        items: this.items,
        payloads: this.payloads,
        wakes: this.wakes,
        outputs: this.outputs,
        polls: this.polls,
        deadLetters: this.deadLetters,
        clock: this.clock,
        trace: { write: (record) => this.traces.push(record) },
        createToken: () => {
          this.tokens += 1;
          return `driver-${this.tokens}`;
        },
      },
      this.options.crashes,
    );
  }

  private async accept(message: RequestMessage): Promise<boolean> {
    const process = this.startProcess();
    const acceptor = createRequestAcceptor({ ...this.application, ports: process.ports });
    const batch = await this.invoke(process, () =>
      acceptor.acceptRequests([message], { deadline: this.clock.now() + ACCEPT_TIMEOUT }),
    );
    this.accepts.push(...(batch?.results.map(({ result }) => result) ?? []));
    return batch !== undefined && batch.failures.length === 0;
  }

  private async drive(wake: Parameters<ReturnType<typeof createRunDriver>['driveRun']>[0]): Promise<boolean> {
    const process = this.startProcess();
    const driver = createRunDriver({ ...this.application, ports: process.ports });
    const result = await this.invoke(process, () =>
      driver.driveRun(wake, { deadline: this.clock.now() + this.driveTimeout }),
    );
    if (result) this.drives.push(result);
    return result !== undefined;
  }

  private async poll(round: PollRound): Promise<PollRound | undefined> {
    const process = this.startProcess();
    const poller = createStatusPoller({ ...this.application, ports: process.ports });
    return this.invoke(process, () => poller.poll(round, { deadline: this.clock.now() + POLL_TIMEOUT }));
  }

  private get application() {
    const { agents, config } = this.options;
    return { agents, ...(config === undefined ? {} : { config }) };
  }

  /** What the function returned; `undefined` when its process stopped or threw. */
  private async invoke<T>(process: CrashingProcess, work: () => Promise<T>): Promise<T | undefined> {
    const result = work().catch(() => undefined);
    return skipTime(this.clock, Promise.race([result, process.stopped.then(() => undefined)]));
  }
}
