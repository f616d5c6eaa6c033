import type { AgentDefinition, ConfigInput } from 'lambda-agents';
import type { Clock } from '../../../../lib/ports/clock.ts';
import type { ItemStore } from '../../../../lib/ports/item-store.ts';
import type { TraceRecord } from '../../../../lib/ports/trace-record.ts';
import type { DriveResult } from '../../../../lib/runner/drive/settle-drive.ts';
import type { AcceptPorts, DrivePorts } from '../../../../lib/runner/runner-ports.ts';
import { createRequestAcceptor, createRunDriver } from '../../../../lib/runner/runtime.ts';
import { isFinal, type RunRecord } from '../../../../lib/store/run-record.ts';
import { RunStore } from '../../../../lib/store/run-store.ts';
import { InMemoryItemStore } from '../../../../lib/testing/in-memory-item-store.ts';
import { InMemoryPayloadStore } from '../../../../lib/testing/in-memory-payload-store.ts';
import {
  InMemoryDeadLetterQueue,
  InMemoryOutputQueue,
  InMemoryWakeQueue,
} from '../../../../lib/testing/in-memory-queues.ts';
import { ManualClock } from '../../../../lib/testing/manual-clock.ts';
import { skipTime } from '../../../../lib/testing/skip-time.ts';
import { noPolls } from '../../../support/no-polls.ts';

/** Time of one invocation in milliseconds. */
const DRIVE_MILLIS = 300_000;

/** A function process that the test holds in its hands: frozen, none of its timers fires. */
export interface DriverProcess {
  drive(runId: string, agents?: readonly AgentDefinition[]): Promise<DriveResult>;
  freeze(): void;
}

/** Ports of one deployment in memory, without anything that delivers: the test drives each process itself. */
export class DriveBench {
  readonly clock = new ManualClock();
  readonly items = new InMemoryItemStore();
  readonly payloads = new InMemoryPayloadStore();
  readonly wakes = new InMemoryWakeQueue(this.clock);
  readonly outputs = new InMemoryOutputQueue(this.clock);
  readonly deadLetters = new InMemoryDeadLetterQueue();
  readonly traces: TraceRecord[] = [];
  private readonly agents: readonly AgentDefinition[];
  private readonly config: ConfigInput;
  private processes = 0;
  private messages = 0;

  constructor(agents: readonly AgentDefinition[], config: ConfigInput = {}) {
    this.agents = agents;
    this.config = config;
  }

  /** Accepts a message of the request queue. */
  async accept(body: object, items: ItemStore = this.items): Promise<void> {
    this.messages += 1;
    const messageId = `message-${this.messages}`;
    const message = { messageId, groupId: 'g', sequenceNumber: String(this.messages), body: JSON.stringify(body) };
    const acceptor = createRequestAcceptor({
      agents: this.agents,
      config: this.config,
      ports: { ...this.ports(), items },
    });
    const { failures } = await acceptor.acceptRequests([message], { deadline: this.clock.now() + 30_000 });
    if (failures[0]) throw failures[0].error;
  }

  /** Accepts a run of the only agent. */
  async begin(runId: string, input: unknown, more: { readonly key?: string } = {}): Promise<void> {
    await this.accept({ agent: this.agents[0]?.name, requestId: runId, input, ...more });
  }

  process(more: { readonly items?: ItemStore; readonly driveMillis?: number } = {}): DriverProcess {
    let frozen = false;
    const clock: Clock = {
      now: () => this.clock.now(),
      after: (millis, callback, kind) => this.clock.after(millis, () => frozen || callback(), kind),
    };
    const ports = { ...this.ports(), clock, items: more.items ?? this.items };
    return {
      drive: (runId, agents = this.agents) =>
        createRunDriver({ agents, config: this.config, ports }).driveRun(
          { runId, reason: 'accepted' },
          { deadline: this.clock.now() + (more.driveMillis ?? DRIVE_MILLIS) },
        ),
      freeze: () => {
        frozen = true;
      },
    };
  }

  drive(runId: string, agents?: readonly AgentDefinition[]): Promise<DriveResult> {
    return this.process().drive(runId, agents);
  }

  /** Moves time on in steps, so that promises go on in between as they do in real time. */
  async pass(millis: number): Promise<void> {
    const end = this.clock.now() + millis;
    await settleMicrotasks();
    while (this.clock.now() < end) {
      this.clock.advanceTo(Math.min(this.clock.now() + 5_000, end));
      await settleMicrotasks();
    }
  }

  /** Delivers wakes, skipping time, until the run is final. */
  async settle(runId: string, items?: ItemStore): Promise<RunRecord> {
    for (;;) {
      const run = await this.run(runId);
      if (isFinal(run.status)) return run;
      const [next] = this.wakes.waiting();
      if (next === undefined) throw new Error(`The run is ${run.status}, and nobody wakes it.`);
      this.clock.advanceTo(Math.max(next.visibleAt, this.clock.now()));
      this.wakes.take(next);
      await skipTime(this.clock, this.process(items === undefined ? {} : { items }).drive(next.wake.runId));
    }
  }

  async run(runId: string): Promise<RunRecord> {
    const run = await new RunStore(this.items).get(runId);
    if (run === undefined) throw new Error(`There is no run ${runId}.`);
    return run;
  }

  /** Bodies of the messages that receivers got, in order. */
  received(): readonly { readonly output?: unknown; readonly status?: string; readonly error?: unknown }[] {
    return this.outputs.delivered.map(({ body }) => JSON.parse(body));
  }

  private ports(): AcceptPorts & DrivePorts {
    this.processes += 1;
    const { items, payloads, wakes, outputs, deadLetters, clock } = this;
    const token = `process-${this.processes}`;
    const trace = { write: (record: TraceRecord) => void this.traces.push(record) };
    return { items, payloads, wakes, outputs, deadLetters, clock, trace, polls: noPolls, createToken: () => token };
  }
}

/** Lets everything go on that waits for nothing but promises. */
export async function settleMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
