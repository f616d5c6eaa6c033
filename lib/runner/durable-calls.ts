import { announcesItself, type CheckedCall, checkCall } from '../durable/call-options.ts';
import { decideReplay } from '../durable/decide-replay.ts';
import { DurablePromise } from '../durable/durable-promise.ts';
import { type CallOutcome, executeCall } from '../durable/execute-call.ts';
import { AgentError } from '../errors/agent-error.ts';
import { CallInterruptedError, isTerminal, ReplayMismatchError } from '../errors/public-errors.ts';
import type { TraceStatus } from '../ports/trace-record.ts';
import { type CallRecord, type CallStatus, journalSlot, type Position, type StoredText } from '../store/journal.ts';
import { slotName } from '../store/keys.ts';
import { decodeThrown, encodeThrown } from '../values/error-codec.ts';
import { decodeValue } from '../values/value-codec.ts';
import type { ActionRun } from './action-run.ts';
import type { DriveState } from './drive-state.ts';
import type { Delivery } from './order-log.ts';

/** Kind of a `durableExecute` in its record. */
const CALL_KIND = 'call';

interface Waiter {
  readonly resolve: (value: unknown) => void;
  readonly reject: (thrown: unknown) => void;
}

/** One durable call of one action in this drive. */
interface PlacedCall {
  readonly action: ActionRun;
  readonly call: CheckedCall;
  readonly slot: string;
  readonly ordinal: number;
  readonly startedAt: number;
  readonly waiter: Waiter;
}

/** Executes, records and replays durable calls. */
export class DurableCalls {
  private readonly state: DriveState;

  constructor(state: DriveState) {
    this.state = state;
  }

  /** Never settles once the drive is over. @throws AgentError for bad options */
  execute(action: ActionRun, options: unknown): Promise<unknown> {
    if (this.state.isOver) return new Promise(() => {});
    if (action.state === 'ended') {
      throw new AgentError(
        'CALL_OUTSIDE_ACTION',
        `Action "${action.queued.action.name}" has ended and can make no durable call. Await everything that the action starts.`,
      );
    }
    const call = checkCall(options);
    const slot = slotName(call.id, action.nextOccurrence(call.id));
    const name = journalSlot(action.queued.id, slot);
    const record = this.state.journal.calls.get(name);
    action.visitedSlots.add(name);
    const promise = new DurablePromise<unknown>((resolve, reject) => {
      const ordinal = this.state.takeOrdinal(record?.ordinal);
      this.place(
        { action, call, slot, ordinal, startedAt: this.state.clock.now(), waiter: { resolve, reject } },
        record,
      );
    });
    action.track(call.id, promise);
    return promise;
  }

  private place(placed: PlacedCall, record: CallRecord | undefined): void {
    const { action, call } = placed;
    const recovery = call.reconcile ? 'reconcile' : call.semantics === 'at-most-once' ? 'interrupt' : 'none';
    const decision = decideReplay(record, {
      kind: CALL_KIND,
      argsDigest: call.argsDigest,
      view: action.view,
      recovery,
    });
    action.pending += 1;
    this.state.changed.notify();
    switch (decision.kind) {
      case 'return':
      case 'throw':
        return this.state.order.register(this.delivery(placed, decision.record, 'earlier'));
      case 'mismatch':
        return this.state.stop({ kind: 'mismatch', error: mismatch(placed, decision) });
      case 'interrupt':
        return this.state.runOutstanding(() => this.settle(placed, interrupted(call), true));
      case 'reconcile':
        return this.startLive(placed, true);
      case 'execute':
        return this.startLive(placed, false);
    }
  }

  private startLive(placed: PlacedCall, recover: boolean): void {
    if (this.state.clock.now() >= this.state.times.continueAt) return this.state.stop({ kind: 'continue' });
    this.state.runOutstanding(() => this.runLive(placed, recover));
  }

  private async runLive(placed: PlacedCall, recover: boolean): Promise<void> {
    const announced = announcesItself(placed.call);
    let recovering = recover;
    if (announced && !recover) {
      const result = await this.state.recorder.announce(this.record(placed, 'PENDING', {}));
      if (result.kind === 'lost') return this.state.stop({ kind: 'lost' });
      if (result.kind === 'adopted') {
        if (result.record.status !== 'PENDING') return this.adopt(placed, result.record);
        if (placed.call.reconcile === undefined) return this.settle(placed, interrupted(placed.call), true);
        recovering = true;
      }
    }
    if (!this.state.lease.isValid()) return this.state.stop({ kind: 'lost' });
    this.trace(placed, 'started');
    const outcome = await executeCall(placed.call, recovering, {
      clock: this.state.clock,
      signal: placed.action.callSignal,
    });
    await this.settle(placed, outcome, announced);
  }

  /** Records an outcome at the next place of the order, and shows it when it is recorded. */
  private async settle(placed: PlacedCall, outcome: CallOutcome, announced: boolean): Promise<void> {
    if (outcome.kind === 'cancelled') return;
    if (outcome.kind === 'fault') return this.state.stop({ kind: 'attempt-failed', error: outcome.error });
    const arrival = this.state.order.arrive();
    let delivery: Delivery | undefined;
    try {
      const { status, stored } = await this.save(placed, outcome);
      const position = { epoch: this.state.recorder.epoch, position: arrival.position };
      const record = { ...this.record(placed, status, stored), ...position, endedAt: this.state.clock.now() };
      const result = await this.state.recorder.settle(record as CallRecord & Position, announced);
      if (result.kind === 'lost') this.state.stop({ kind: 'lost' });
      else delivery = this.delivery(placed, result.record, result.kind === 'recorded' ? 'own' : 'adopted');
    } finally {
      arrival.settle(delivery);
    }
  }

  private adopt(placed: PlacedCall, record: CallRecord): void {
    this.state.order.arrive().settle(this.delivery(placed, record, 'adopted'));
  }

  /** A value too large to be stored fails its call. */
  private async save(
    placed: PlacedCall,
    outcome: Extract<CallOutcome, { text: string }>,
  ): Promise<{ readonly status: CallStatus; readonly stored: StoredText }> {
    const what = `The result of durable call "${placed.call.id}"`;
    try {
      return {
        status: outcome.kind === 'succeeded' ? 'SUCCEEDED' : 'FAILED',
        stored: await this.state.recorder.save(what, outcome.text),
      };
    } catch (error) {
      if (!isTerminal(error)) throw error;
      return { status: 'FAILED', stored: { text: encodeThrown(error) } };
    }
  }

  private record(
    { action, call, slot, ordinal, startedAt }: PlacedCall,
    status: CallStatus,
    stored: StoredText,
  ): CallRecord {
    return {
      actionId: action.queued.id,
      actionName: action.queued.action.name,
      slot,
      status,
      kind: CALL_KIND,
      ...(call.argsDigest === undefined ? {} : { argsDigest: call.argsDigest }),
      ordinal,
      view: action.view,
      writer: this.state.recorder.writer,
      startedAt,
      ...stored,
    };
  }

  private delivery(placed: PlacedCall, record: CallRecord, source: Delivery['source']): Delivery {
    return { ordinal: record.ordinal, source, deliver: () => this.show(placed, record, source) };
  }

  private async show(placed: PlacedCall, record: CallRecord, source: Delivery['source']): Promise<void> {
    const { action, waiter } = placed;
    const text = await this.state.recorder.load(record);
    if (this.state.isOver) return;
    const reused = source !== 'own';
    action.pending -= 1;
    if (record.status === 'SUCCEEDED') {
      this.trace(placed, reused ? 'reused' : 'success');
      return waiter.resolve(decodeValue(text));
    }
    const thrown = decodeThrown(text);
    action.shownFailures.add(thrown);
    this.trace(placed, reused ? 'reused' : 'failed', thrown);
    waiter.reject(thrown);
  }

  private trace(placed: PlacedCall, status: TraceStatus, ...thrown: readonly unknown[]): void {
    const { action, call, slot, startedAt } = placed;
    this.state.tracer.write({
      entityType: 'durable_call',
      entityName: call.id,
      executionId: `${action.queued.id}#${slot}`,
      parentExecutionId: action.queued.id,
      status,
      ...(thrown.length > 0 ? { error: thrown[0], problemCategory: 'durable_call_failed' as const } : {}),
      ...(status === 'started' ? {} : { startedAt }),
      metadata: { epoch: this.state.recorder.epoch },
    });
  }
}

function interrupted(call: CheckedCall): CallOutcome {
  const error = new CallInterruptedError(
    `Durable call "${call.id}" was interrupted and is at-most-once, so whether it happened is not known. Look at its target, or give the call a reconciler.`,
  );
  return { kind: 'failed', text: encodeThrown(error) };
}

function mismatch(
  { action, call, slot }: PlacedCall,
  sides: { readonly recorded: string; readonly asked: string },
): ReplayMismatchError {
  const place = `Durable call "${call.id}" (slot ${slot}) of action ${action.queued.path}`;
  return new ReplayMismatchError(
    `${place} does not fit its record. Recorded: ${sides.recorded}. Asked for: ${sides.asked}. Deploy code that asks for what is recorded, then redrive the run.`,
  );
}
