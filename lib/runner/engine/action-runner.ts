import type { AgentPlan } from '../../agent/plan.ts';
import { AgentError } from '../../errors/agent-error.ts';
import { isTerminal, ReplayMismatchError } from '../../errors/public-errors.ts';
import { EventType } from '../../events/event.ts';
import type { TraceStatus } from '../../ports/trace-record.ts';
import { type ActionRecord, journalSlot, type Position } from '../../store/journal.ts';
import { rootActionId } from '../run-ids.ts';
import { type ActionBody, decodeBody, encodeBody } from './action-body.ts';
import { createActionContext, guardAction } from './action-context.ts';
import { ActionRun, type QueuedAction } from './action-run.ts';
import type { DriveState } from './drive-state.ts';
import { DurableCalls } from './durable-calls.ts';
import { DurableWaits } from './durable-waits.ts';
import type { RunOutput } from './engine-outcome.ts';
import { EventQueue } from './event-queue.ts';
import type { ExternalWaits } from './external-waits.ts';
import type { Delivery } from './order-log.ts';
import { ActionMemory, CommittedMemory, type MemoryContents, type MemoryWrites } from './run-memory.ts';
import type { Slots } from './slots.ts';
import type { SubagentCalls } from './subagent-calls.ts';

/** Calls that a trace record names. */
const MAX_SHOWN_CALLS = 20;

export interface ActionRunnerOptions {
  readonly plan: AgentPlan;
  readonly runId: string;
  readonly key: string | undefined;
  /** Epoch in which this life of the run began: what is older was put into the key's memory by an earlier one. */
  readonly lifeEpoch: number;
  /** The key's memory before the run; called at most once. */
  readonly loadShortTerm: () => Promise<MemoryContents>;
  readonly state: DriveState;
  readonly slots: Slots;
  readonly waits: ExternalWaits;
  readonly subagents: SubagentCalls;
}

/** Starts actions, records their ends, replays recorded ones, and feeds the queue with what they emit. */
export class ActionRunner {
  private readonly options: ActionRunnerOptions;
  private readonly state: DriveState;
  private readonly calls: DurableCalls;
  private readonly durableWaits: DurableWaits;
  private readonly events: EventQueue;
  private readonly running = new Set<ActionRun>();
  private readonly sensory = new CommittedMemory(async () => ({}));
  private readonly shortTerm: CommittedMemory;
  /** Actions whose end was shown: what the next action sees of memory. */
  private view = 0;

  constructor(options: ActionRunnerOptions) {
    this.options = options;
    this.state = options.state;
    this.events = new EventQueue(options.plan, options.state.tracer);
    this.calls = new DurableCalls(options.state, options.slots, options.waits);
    this.durableWaits = new DurableWaits(options.state, options.slots, options.waits);
    this.shortTerm = new CommittedMemory(options.loadShortTerm);
  }

  /** Feeds the queue with the run's input. */
  emitInput(inputText: string): void {
    const event = { type: EventType.InputEvent, text: `{"input":${inputText}}` };
    const root = { id: rootActionId(this.options.runId), path: '', name: undefined, eventId: undefined };
    this.events.emit(root, [event], this.state.recorder.epoch > 1 ? 'reused' : 'created');
  }

  /** Results so far, in the order in which they were sent. */
  get outputs(): readonly RunOutput[] {
    return this.events.outputs;
  }

  get hasQueued(): boolean {
    return this.events.hasQueued;
  }

  /** Names of the actions that have started and not ended. */
  runningPaths(): readonly string[] {
    return Array.from(this.running, ({ queued }) => queued.path);
  }

  /** Whether no action code runs: each started action waits for a durable call or has ended. */
  get isParked(): boolean {
    for (const action of this.running) if (!action.isParked) return false;
    return true;
  }

  /** Last committed write of each field of the key's memory in this life of the run. */
  shortTermWrites(): MemoryWrites {
    return Object.fromEntries(this.shortTerm.changes());
  }

  /** Starts the next queued action; `true` when user code ran. */
  startNext(): boolean {
    const queued = this.events.takeQueued();
    if (queued === undefined) return false;
    const record = this.state.journal.actions.get(queued.id);
    const ordinal = this.state.takeOrdinal(record?.ordinal);
    if (record === undefined) {
      this.run(this.createAction(queued, ordinal));
      return true;
    }
    if (record.view === this.view) this.state.order.register(this.finishOf(queued, record, 'earlier'));
    else this.state.stop({ kind: 'mismatch', error: viewMismatch(queued, record.view, this.view) });
    return false;
  }

  private createAction(queued: QueuedAction, ordinal: number): ActionRun {
    const view = this.view;
    const memory = (committed: CommittedMemory): ActionMemory =>
      new ActionMemory({
        committed,
        view,
        guard: (method) => guardAction(method, action),
        busy: (read) => this.state.hold(read),
      });
    const action: ActionRun = new ActionRun({
      queued,
      ordinal,
      view,
      startedAt: this.state.clock.now(),
      sensory: memory(this.sensory),
      shortTerm: memory(this.shortTerm),
      givenUp: this.state.givenUp.signal,
    });
    return action;
  }

  private run(action: ActionRun): void {
    this.running.add(action);
    this.trace(action.queued, 'started');
    const { plan, runId, key, subagents } = this.options;
    const { calls, durableWaits: waits } = this;
    const context = createActionContext({ plan, runId, key, action, calls, waits, subagents });
    try {
      const result: unknown = action.queued.action.run(action.queued.event as never, context as never);
      Promise.resolve(result).then(
        () => this.end(action),
        (error: unknown) => this.fail(action, error),
      );
    } catch (error) {
      this.fail(action, error);
    }
  }

  private end(action: ActionRun): void {
    if (this.state.isOver) return;
    const unawaited = action.unawaitedCalls();
    if (unawaited.length > 0) {
      const calls = unawaited.map((id) => `"${id}"`).join(', ');
      return this.fail(
        action,
        new AgentError(
          'UNAWAITED_CALL',
          `Action "${action.queued.action.name}" ended without waiting for durable call ${calls}. Await each durable call; a sub-agent's may be cancelled instead.`,
        ),
      );
    }
    this.leave(action);
    const body: ActionBody = {
      events: action.events,
      sensory: action.sensory.writes(),
      shortTerm: action.shortTerm.writes(),
    };
    this.state.runOutstanding(() => this.record(action, body));
  }

  private fail(action: ActionRun, error: unknown): void {
    if (this.state.isOver) return;
    this.leave(action);
    const final = isTerminal(error) || action.hasSeen(error);
    this.state.stop({ kind: final ? 'failed' : 'attempt-failed', error });
    this.trace(action.queued, 'failed', action.startedAt, { error });
  }

  private leave(action: ActionRun): void {
    action.end();
    this.running.delete(action);
    this.state.changed.notify();
  }

  private async record(action: ActionRun, body: ActionBody): Promise<void> {
    await this.options.subagents.endAction(action);
    if (this.state.isOver) return;
    const arrival = this.state.order.arrive();
    let delivery: Delivery | undefined;
    try {
      const stored = await this.state.recorder.save(
        `What action "${action.queued.action.name}" emitted`,
        encodeBody(body),
      );
      const position = { epoch: this.state.recorder.epoch, position: arrival.position };
      const result = await this.state.recorder.finish({ ...this.recordOf(action, position), ...stored });
      if (result.kind === 'lost') this.state.stop({ kind: 'lost' });
      else if (result.kind === 'adopted') delivery = this.finishOf(action.queued, result.record, 'adopted');
      else delivery = this.finishOf(action.queued, result.record, 'own', { body, action });
    } catch (error) {
      this.state.stop({ kind: isTerminal(error) ? 'failed' : 'attempt-failed', error });
    } finally {
      arrival.settle(delivery);
    }
  }

  private recordOf({ queued, ordinal, view, startedAt }: ActionRun, position: Position): ActionRecord {
    return {
      actionId: queued.id,
      name: queued.action.name,
      parentActionId: queued.parentActionId,
      triggerEventId: queued.event.id,
      path: queued.path,
      ordinal,
      view,
      writer: this.state.recorder.writer,
      startedAt,
      endedAt: this.state.clock.now(),
      ...position,
    };
  }

  /** The end of an action as it is shown: its memory writes are committed and its events sent. */
  private finishOf(
    queued: QueuedAction,
    record: ActionRecord,
    source: Delivery['source'],
    live?: { readonly body: ActionBody; readonly action: ActionRun },
  ): Delivery {
    const deliver = async (): Promise<void> => {
      const body = live?.body ?? decodeBody(await this.state.recorder.load(record));
      if (this.state.isOver) return;
      const unvisited = live && this.unvisitedCalls(live.action);
      if (live) this.trace(queued, 'success', live.action.startedAt, { metadata: { unvisited_calls: unvisited } });
      else this.trace(queued, 'reused');
      this.view += 1;
      const kept = record.epoch < this.options.lifeEpoch;
      this.sensory.commit(body.sensory, this.view, kept);
      this.shortTerm.commit(body.shortTerm, this.view, kept);
      this.events.emit(
        { id: queued.id, path: queued.path, name: queued.action.name, eventId: queued.event.id },
        body.events,
        live ? 'created' : 'reused',
      );
    };
    return { ordinal: record.ordinal, source, deliver };
  }

  /** Recorded calls that the finished action did not make any more, for the reader of the trace. */
  private unvisitedCalls(action: ActionRun): string | undefined {
    const recorded = Array.from(this.state.journal.calls.values()).filter((call) => call.actionId === action.queued.id);
    const unvisited = recorded
      .map((call) => journalSlot(call.actionId, call.slot))
      .filter((slot) => !action.visitedSlots.has(slot));
    if (unvisited.length === 0) return undefined;
    const more = unvisited.length > MAX_SHOWN_CALLS ? ` and ${unvisited.length - MAX_SHOWN_CALLS} more` : '';
    return `${unvisited.slice(0, MAX_SHOWN_CALLS).join(' ')}${more}`;
  }

  private trace(
    queued: QueuedAction,
    status: TraceStatus,
    startedAt?: number,
    more: { readonly error?: unknown; readonly metadata?: Readonly<Record<string, string | undefined>> } = {},
  ): void {
    this.state.tracer.write({
      entityType: 'action',
      entityName: queued.action.name,
      executionId: queued.id,
      parentExecutionId: queued.parentActionId,
      status,
      ...('error' in more ? { error: more.error, problemCategory: 'action_execution_failed' as const } : {}),
      ...(startedAt === undefined ? {} : { startedAt }),
      metadata: {
        trigger_event_id: queued.event.id,
        path: queued.path,
        epoch: this.state.recorder.epoch,
        ...more.metadata,
      },
    });
  }
}

const viewMismatch = (queued: QueuedAction, recorded: number, now: number): ReplayMismatchError =>
  new ReplayMismatchError(
    `Action ${queued.path} began after ${recorded} finished actions when it was recorded, and begins after ${now} now. Deploy code that sends the recorded events in the recorded order, then redrive the run.`,
  );
