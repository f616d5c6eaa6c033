import type { AgentDefinition, ConfigInput } from 'lambda-agents';
import type { Clock } from '../../../../lib/ports/clock.ts';
import type { ItemStore } from '../../../../lib/ports/item-store.ts';
import type { WakeQueue } from '../../../../lib/ports/queues.ts';
import type { TraceRecord } from '../../../../lib/ports/trace-record.ts';
import type { DriveResult } from '../../../../lib/runner/drive/settle-drive.ts';
import { createRunDriver } from '../../../../lib/runner/runtime.ts';
import { sweepRuns } from '../../../../lib/runner/sweep-runs.ts';
import { isFinal, type RunStatus } from '../../../../lib/store/run-record.ts';
import { skipTime } from '../../../../lib/testing/skip-time.ts';
import { noPolls } from '../../../support/no-polls.ts';
import { AcceptBench } from './accept-bench.ts';

const DRIVE_MILLIS = 300_000;
const SWEEP_MILLIS = 60_000;

export interface WakeOptions {
  /** Other code than the bench's. */
  readonly agents?: readonly AgentDefinition[];
  readonly items?: ItemStore;
  readonly wakes?: WakeQueue;
  readonly clock?: Clock;
}

/** A deployment in memory whose invocations are in the hands of the test. */
export class WaitBench extends AcceptBench {
  readonly traces: TraceRecord[] = [];
  readonly #agents: readonly AgentDefinition[];
  readonly #config: ConfigInput;
  #drivers = 0;

  constructor(agents: readonly AgentDefinition[], config: ConfigInput = {}) {
    super(agents, config);
    this.#agents = agents;
    this.#config = config;
  }

  /** Accepts a run of the first agent. */
  async begin(runId: string, input: unknown = null, more: { readonly key?: string } = {}): Promise<void> {
    await this.accept({ agent: this.#agents[0]?.name, requestId: runId, input, ...more });
  }

  signal(runId: string, name: string, value?: unknown) {
    return this.accept({ signal: { requestId: runId, name, ...(value === undefined ? {} : { value }) } });
  }

  /** One invocation of run-agent, in which time passes only as the test moves it. */
  invoke(runId: string, options: WakeOptions = {}) {
    const { agents = this.#agents, items = this.items, wakes = this.wakes, clock = this.clock } = options;
    this.#drivers += 1;
    const token = `driver-${this.#drivers}`;
    const { outputs } = this;
    const trace = { write: (record: TraceRecord) => void this.traces.push(record) };
    const ports = { ...this.ports, items, wakes, clock, outputs, trace, polls: noPolls, createToken: () => token };
    const driver = createRunDriver({ agents, config: this.#config, ports });
    return driver.driveRun({ runId, reason: 'accepted' }, { deadline: this.clock.now() + DRIVE_MILLIS });
  }

  /** The same, with time skipped. */
  wake(runId: string, options?: WakeOptions): Promise<DriveResult> {
    return skipTime(this.clock, this.invoke(runId, options));
  }

  sweep() {
    return sweepRuns(this.ports);
  }

  /** Takes every wake out of its queue; nobody gets it. */
  loseWakes(): void {
    for (const message of this.wakes.waiting()) this.wakes.take(message);
  }

  /** Sweeps each minute and delivers what that finds, until the run is final or the minutes are over. */
  async heal(runId: string, minutes: number): Promise<RunStatus | undefined> {
    for (let minute = 0; minute < minutes; minute += 1) {
      const status = (await this.run(runId))?.status;
      if (status !== undefined && isFinal(status)) break;
      this.clock.advanceBy(SWEEP_MILLIS);
      await this.sweep();
      const due = this.wakes.waiting().filter(({ wake }) => wake.reason === 'due');
      this.loseWakes();
      for (const { wake } of due) await this.wake(wake.runId);
    }
    return (await this.run(runId))?.status;
  }

  outputsOf(runId: string): readonly unknown[] {
    return this.received().flatMap((message) =>
      message.requestId === runId && 'output' in message ? [message.output] : [],
    );
  }
}
