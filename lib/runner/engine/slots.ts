import { DurablePromise } from '../../durable/durable-promise.ts';
import type { CallOutcome } from '../../durable/execute-call.ts';
import { AgentError } from '../../errors/agent-error.ts';
import { isTerminal, ReplayMismatchError, SubagentCancelledError } from '../../errors/public-errors.ts';
import type { TraceStatus } from '../../ports/trace-record.ts';
import { type CallKind, type CallRecord, type CallStatus, journalSlot, type Position } from '../../store/journal.ts';
import { slotName } from '../../store/keys.ts';
import type { StoredText } from '../../store/stored-text.ts';
import { decodeThrown, encodeThrown } from '../../values/error-codec.ts';
import { decodeValue } from '../../values/value-codec.ts';
import type { ActionRun } from './action-run.ts';
import type { DriveState } from './drive-state.ts';
import type { Delivery } from './order-log.ts';

/** What user code asks for at a place in its action. */
export interface AskedSlot {
  readonly id: string;
  readonly kind: CallKind;
  readonly argsDigest?: string | undefined;
  /** Of a wait for a signal. */
  readonly signalName?: string;
}

/** One such place in this drive: user code waits there for its outcome. */
export interface OpenSlot {
  readonly action: ActionRun;
  readonly asked: AskedSlot;
  readonly slot: string;
  readonly ordinal: number;
  readonly startedAt: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

/** An outcome whose value somebody else has stored. */
export interface StoredOutcome {
  readonly kind: 'stored';
  readonly stored: StoredText;
}

/** User code has given the call up. */
export interface Abandoned {
  readonly kind: 'abandoned';
}

/** What is written about an outcome besides its value. */
export type OutcomeDetails = Pick<CallRecord, 'signalSequence'>;

/** The places in actions at which durable outcomes are waited for: their records, their order, and how they are shown. */
export class Slots {
  private readonly state: DriveState;
  /** Ordinals of what is shown, or will be: an outcome is shown once, however many find that it is recorded. */
  private readonly delivered = new Set<number>();

  constructor(state: DriveState) {
    this.state = state;
  }

  /**
   * Opens the next place with that id; `use` decides what happens there. Never settles once the drive is over.
   * @throws AgentError `CALL_OUTSIDE_ACTION` when the action has ended
   */
  open(
    action: ActionRun,
    asked: AskedSlot,
    use: (open: OpenSlot, record: CallRecord | undefined) => void,
  ): DurablePromise<unknown> {
    return this.openAs(DurablePromise<unknown>, action, asked, use);
  }

  /** The same with another kind of promise. */
  openAs<P extends DurablePromise<unknown>>(
    Kind: new (executor: (resolve: (value: never) => void, reject: (reason: unknown) => void) => void) => P,
    action: ActionRun,
    asked: AskedSlot,
    use: (open: OpenSlot, record: CallRecord | undefined) => void,
  ): P {
    if (this.state.isOver) return new Kind(() => {});
    if (action.state === 'ended') {
      throw new AgentError(
        'CALL_OUTSIDE_ACTION',
        `Action "${action.queued.action.name}" has ended and can make no durable call. Await everything that the action starts.`,
      );
    }
    const slot = slotName(asked.id, action.nextOccurrence(asked.id));
    const name = journalSlot(action.queued.id, slot);
    const record = this.state.journal.calls.get(name);
    action.visitedSlots.add(name);
    const promise = new Kind((resolve, reject) => {
      const ordinal = this.state.takeOrdinal(record?.ordinal);
      const startedAt = record?.startedAt ?? this.state.clock.now();
      action.pending += 1;
      this.state.changed.notify();
      use({ action, asked, slot, ordinal, startedAt, resolve: (value) => resolve(value as never), reject }, record);
    });
    action.track(asked.id, promise);
    return promise;
  }

  /** Shows a recorded outcome at its place in the order. */
  replay(open: OpenSlot, record: CallRecord): void {
    const delivery = this.delivery(open, record, 'earlier');
    if (delivery) this.state.order.register(delivery);
  }

  /** Shows the outcome that somebody else has just recorded. */
  adopt(open: OpenSlot, record: CallRecord): void {
    const delivery = this.delivery(open, record, 'adopted');
    if (delivery) this.state.order.arrive().settle(delivery);
  }

  mismatch({ action, asked, slot }: OpenSlot, sides: { readonly recorded: string; readonly asked: string }): void {
    const place = `Durable call "${asked.id}" (slot ${slot}) of action ${action.queued.path}`;
    const error = new ReplayMismatchError(
      `${place} does not fit its record. Recorded: ${sides.recorded}. Asked for: ${sides.asked}. Deploy code that asks for what is recorded, then redrive the run.`,
    );
    this.state.stop({ kind: 'mismatch', error });
  }

  /** The record of a place; with an outcome it needs a position too. */
  recordOf(
    { action, asked, slot, ordinal, startedAt }: OpenSlot,
    status: CallStatus,
    more: StoredText & OutcomeDetails & Pick<CallRecord, 'until' | 'token' | 'intervalMillis' | 'callsMade'>,
  ): CallRecord {
    return {
      actionId: action.queued.id,
      actionName: action.queued.action.name,
      slot,
      status,
      kind: asked.kind,
      ...(asked.argsDigest === undefined ? {} : { argsDigest: asked.argsDigest }),
      ...(asked.signalName === undefined ? {} : { signalName: asked.signalName }),
      ordinal,
      view: action.view,
      writer: this.state.recorder.writer,
      startedAt,
      ...more,
    };
  }

  /**
   * Records an outcome at the next place of the order, and shows it when it is recorded. Returns what stands in the slot then.
   * @param announced whether a PENDING record stands in the slot
   */
  async settle(
    open: OpenSlot,
    outcome: Exclude<CallOutcome, { kind: 'postponed' }> | StoredOutcome | Abandoned,
    announced: boolean,
    details: OutcomeDetails = {},
  ): Promise<CallRecord | undefined> {
    if (outcome.kind === 'cancelled') return undefined;
    if (outcome.kind === 'fault') {
      this.state.stop({ kind: 'attempt-failed', error: outcome.error });
      return undefined;
    }
    const arrival = this.state.order.arrive();
    let delivery: Delivery | undefined;
    try {
      const { status, stored } = await this.save(open, outcome);
      const position = { epoch: this.state.recorder.epoch, position: arrival.position };
      const settled = { ...this.recordOf(open, status, { ...stored, ...details }), endedAt: this.state.clock.now() };
      const record: CallRecord & Position = { ...settled, ...position };
      const result = await this.state.recorder.settle(record, announced);
      if (result.kind === 'lost') {
        this.state.stop({ kind: 'lost' });
        return undefined;
      }
      delivery = this.delivery(open, result.record, result.kind === 'recorded' ? 'own' : 'adopted');
      return result.record;
    } finally {
      arrival.settle(delivery);
    }
  }

  trace({ action, asked, slot, startedAt }: OpenSlot, status: TraceStatus, ...thrown: readonly unknown[]): void {
    this.state.tracer.write({
      entityType: asked.kind === 'subagent' ? 'subagent' : 'durable_call',
      entityName: asked.id,
      executionId: `${action.queued.id}#${slot}`,
      parentExecutionId: action.queued.id,
      status,
      ...(thrown.length > 0
        ? {
            error: thrown[0],
            problemCategory: `${asked.kind === 'subagent' ? 'subagent' : 'durable_call'}_failed` as const,
          }
        : {}),
      ...(status === 'started' ? {} : { startedAt }),
      metadata: { epoch: this.state.recorder.epoch, kind: asked.kind },
    });
  }

  /** A value too large to be stored fails its call. */
  private async save(
    { asked }: OpenSlot,
    outcome: Extract<CallOutcome, { text: string }> | StoredOutcome | Abandoned,
  ): Promise<{ readonly status: CallStatus; readonly stored: StoredText }> {
    if (outcome.kind === 'stored') return { status: 'SUCCEEDED', stored: outcome.stored };
    if (outcome.kind === 'abandoned') return { status: 'CANCELLED', stored: {} };
    try {
      return {
        status: outcome.kind === 'succeeded' ? 'SUCCEEDED' : 'FAILED',
        stored: await this.state.recorder.save(`The result of durable call "${asked.id}"`, outcome.text),
      };
    } catch (error) {
      if (!isTerminal(error)) throw error;
      return { status: 'FAILED', stored: { text: encodeThrown(error) } };
    }
  }

  private delivery(open: OpenSlot, record: CallRecord, source: Delivery['source']): Delivery | undefined {
    if (this.delivered.has(record.ordinal)) return undefined;
    this.delivered.add(record.ordinal);
    return { ordinal: record.ordinal, source, deliver: () => this.show(open, record, source) };
  }

  private async show(open: OpenSlot, record: CallRecord, source: Delivery['source']): Promise<void> {
    const text = record.status === 'CANCELLED' ? '' : await this.state.recorder.load(record);
    if (this.state.isOver) return;
    const reused = source !== 'own';
    open.action.pending -= 1;
    if (record.status === 'CANCELLED') {
      this.trace(open, 'cancelled');
      return open.reject(this.cancelledError(open));
    }
    if (record.status === 'SUCCEEDED') {
      this.trace(open, reused ? 'reused' : 'success');
      return open.resolve(decodeValue(text));
    }
    const thrown = decodeThrown(text);
    open.action.shownFailures.add(thrown);
    this.trace(open, reused ? 'reused' : 'failed', thrown);
    open.reject(thrown);
  }

  private cancelledError({ action, asked }: OpenSlot): SubagentCancelledError {
    const error = new SubagentCancelledError(
      `The call of sub-agent "${asked.id}" was cancelled. Await no handle after its cancel(), or catch this.`,
    );
    action.shownFailures.add(error);
    return error;
  }
}
