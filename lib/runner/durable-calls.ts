import { announcesItself, type CheckedCall, checkCall } from '../durable/call-options.ts';
import { type AskedCall, decideReplay } from '../durable/decide-replay.ts';
import { type CallOutcome, executeCall } from '../durable/execute-call.ts';
import { CallInterruptedError } from '../errors/public-errors.ts';
import type { CallRecord } from '../store/journal.ts';
import { encodeThrown } from '../values/error-codec.ts';
import type { ActionRun } from './action-run.ts';
import type { DriveState } from './drive-state.ts';
import type { OpenSlot, Slots } from './slots.ts';

/** Executes, records and replays `durableExecute`. */
export class DurableCalls {
  private readonly state: DriveState;
  private readonly slots: Slots;

  constructor(state: DriveState, slots: Slots) {
    this.state = state;
    this.slots = slots;
  }

  /** @throws AgentError for bad options */
  execute(action: ActionRun, options: unknown): Promise<unknown> {
    const call = checkCall(options);
    const asked = { id: call.id, kind: 'call', argsDigest: call.argsDigest } as const;
    return this.slots.open(action, asked, (open, record) => this.place(open, call, record));
  }

  private place(open: OpenSlot, call: CheckedCall, record: CallRecord | undefined): void {
    const { argsDigest } = call;
    const decision = decideReplay(record, {
      kind: 'call',
      argsDigest,
      view: open.action.view,
      recovery: recoveryOf(call),
    });
    switch (decision.kind) {
      case 'return':
      case 'throw':
        return this.slots.replay(open, decision.record);
      case 'mismatch':
        return this.slots.mismatch(open, decision);
      case 'interrupt':
        return this.state.runOutstanding(() => this.slots.settle(open, interrupted(call), true));
      case 'reconcile':
        return this.startLive(open, call, true);
      case 'execute':
        return this.startLive(open, call, false);
    }
  }

  private startLive(open: OpenSlot, call: CheckedCall, recover: boolean): void {
    if (this.state.clock.now() >= this.state.times.continueAt) return this.state.stop({ kind: 'continue' });
    this.state.runOutstanding(() => this.runLive(open, call, recover));
  }

  private async runLive(open: OpenSlot, call: CheckedCall, recover: boolean): Promise<void> {
    const announced = announcesItself(call);
    let recovering = recover;
    if (announced && !recover) {
      const result = await this.state.recorder.announce(this.slots.recordOf(open, 'PENDING', {}));
      if (result.kind === 'lost') return this.state.stop({ kind: 'lost' });
      if (result.kind === 'adopted') {
        if (result.record.status !== 'PENDING') return this.slots.adopt(open, result.record);
        if (call.reconcile === undefined) {
          await this.slots.settle(open, interrupted(call), true);
          return;
        }
        recovering = true;
      }
    }
    if (!this.state.lease.isValid()) return this.state.stop({ kind: 'lost' });
    this.slots.trace(open, 'started');
    const outcome = await executeCall(call, recovering, {
      clock: this.state.clock,
      signal: open.action.callSignal,
    });
    await this.slots.settle(open, outcome, announced);
  }
}

/** What is right for a call whose record is still PENDING. */
function recoveryOf(call: CheckedCall): AskedCall['recovery'] {
  if (call.reconcile) return 'reconcile';
  return call.semantics === 'at-most-once' ? 'interrupt' : 'none';
}

function interrupted(call: CheckedCall): CallOutcome {
  const error = new CallInterruptedError(
    `Durable call "${call.id}" was interrupted and is at-most-once, so whether it happened is not known. Look at its target, or give the call a reconciler.`,
  );
  return { kind: 'failed', text: encodeThrown(error) };
}
