import type { AgentDefinition, ConfigInput } from 'lambda-agents';
import type { Wake } from '../../../../lib/ports/queues.ts';
import type { AcceptResult } from '../../../../lib/runner/accept/accept-request.ts';
import type { RequestMessage } from '../../../../lib/runner/accept/request-message.ts';
import type { AcceptPorts } from '../../../../lib/runner/runner-ports.ts';
import { type AcceptedBatch, createRequestAcceptor, createRunDriver } from '../../../../lib/runner/runtime.ts';
import { sweepRuns } from '../../../../lib/runner/sweep-runs.ts';
import type { RunRecord } from '../../../../lib/store/run-record.ts';
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

const ACCEPT_MILLIS = 30_000;
const DRIVE_MILLIS = 300_000;
const SWEEP_MILLIS = 60_000;
const MAX_SWEEPS = 60;
const FINAL: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

/** A deployment in memory whose request queue is in the hands of the test. */
export class AcceptBench {
  readonly clock = new ManualClock();
  readonly items = new InMemoryItemStore();
  readonly payloads = new InMemoryPayloadStore();
  readonly wakes = new InMemoryWakeQueue(this.clock);
  readonly outputs = new InMemoryOutputQueue(this.clock);
  readonly deadLetters = new InMemoryDeadLetterQueue();
  private readonly agents: readonly AgentDefinition[];
  private readonly config: ConfigInput;
  private messages = 0;
  private drives = 0;

  constructor(agents: readonly AgentDefinition[], config: ConfigInput = {}) {
    this.agents = agents;
    this.config = config;
  }

  get ports(): AcceptPorts {
    const { items, payloads, wakes, deadLetters, clock } = this;
    return { items, payloads, wakes, deadLetters, clock };
  }

  /** A message of the request queue, sent after those before it. Text is sent as it is. */
  message(body: unknown, groupId = 'group'): RequestMessage {
    this.messages += 1;
    return {
      messageId: `message-${this.messages}`,
      groupId,
      sequenceNumber: String(this.messages),
      body: typeof body === 'string' ? body : JSON.stringify(body),
    };
  }

  acceptAll(
    messages: readonly RequestMessage[],
    ports = this.ports,
    remainingMillis = ACCEPT_MILLIS,
  ): Promise<AcceptedBatch> {
    const acceptor = createRequestAcceptor({ agents: this.agents, config: this.config, ports });
    return acceptor.acceptRequests(messages, { deadline: this.clock.now() + remainingMillis });
  }

  /** Accepts one message; what it throws is thrown. */
  async accept(body: unknown): Promise<AcceptResult> {
    return this.deliver(this.message(body));
  }

  async deliver(message: RequestMessage, ports = this.ports): Promise<AcceptResult> {
    const { results, failures } = await this.acceptAll([message], ports);
    if (failures[0]) throw failures[0].error;
    const [accepted] = results;
    if (accepted === undefined) throw new Error('The message was neither accepted nor returned.');
    return accepted.result;
  }

  /** Delivers wakes and sweeps each minute, skipping time, until every run is final. */
  async driveAll(): Promise<void> {
    for (let sweeps = 0; sweeps < MAX_SWEEPS; sweeps += 1) {
      for (let [next] = this.wakes.waiting(); next !== undefined; [next] = this.wakes.waiting()) {
        this.clock.advanceTo(Math.max(next.visibleAt, this.clock.now()));
        await this.drive(this.wakes.take(next).wake);
      }
      if (this.items.items().every((item) => item.sk !== 'RUN' || FINAL.has(String(item.st)))) return;
      this.clock.advanceBy(SWEEP_MILLIS);
      await sweepRuns(this.ports);
    }
    throw new Error(`After ${MAX_SWEEPS} minutes there are runs that did not end.`);
  }

  private async drive(wake: Wake): Promise<void> {
    this.drives += 1;
    const token = `drive-${this.drives}`;
    const ports = {
      ...this.ports,
      outputs: this.outputs,
      trace: { write: () => {} },
      polls: noPolls,
      createToken: () => token,
    };
    const driver = createRunDriver({ agents: this.agents, config: this.config, ports });
    await skipTime(this.clock, driver.driveRun(wake, { deadline: this.clock.now() + DRIVE_MILLIS }));
  }

  run(runId: string): Promise<RunRecord | undefined> {
    return new RunStore(this.items).get(runId);
  }

  /** Ids of every run that the store holds. */
  runIds(): readonly string[] {
    return this.items.items().flatMap((item) => (item.sk === 'RUN' ? [String(item.id)] : []));
  }

  /** Bodies of the messages that receivers got, in order. */
  received(): readonly { readonly requestId: string; readonly output?: unknown; readonly status?: string }[] {
    return this.outputs.delivered.map(({ body }) => JSON.parse(body));
  }
}
