import { announcesItself, type CheckedCall, checkCall } from '../../durable/call-options.ts';
import { type AskedCall, decideReplay } from '../../durable/decide-replay.ts';
import { type CallOutcome, executeCall } from '../../durable/execute-call.ts';
import { CallInterruptedError } from '../../errors/public-errors.ts';
import type { CallRecord } from '../../store/journal.ts';
import { encodeThrown } from '../../values/error-codec.ts';
import type { ActionRun } from './action-run.ts';
import type { DriveState } from './drive-state.ts';
import type { ExternalWaits } from './external-waits.ts';
import type { OpenSlot, Slots } from './slots.ts';

/** Executes, records and replays `durableExecute`. */
export class DurableCalls {
  private readonly state: DriveState;
  private readonly slots: Slots;
  private readonly waits: ExternalWaits;

  constructor(state: DriveState, slots: Slots, waits: ExternalWaits) {
    this.state = state;
    this.slots = slots;
    this.waits = waits;
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
      case 'wait':
        return this.waitToRepeat(open, call, decision.record);
      case 'reconcile':
        return this.startLive(open, call, { announced: true, callsMade: 0 });
      case 'execute':
        return this.startLive(open, call, { announced: false, callsMade: 0 });
      case 'cancelled':
        // Only calls of sub-agents are, and the kinds have been compared.
        return;
    }
  }

  private startLive(open: OpenSlot, call: CheckedCall, before: Before): void {
    if (this.state.clock.now() >= this.state.times.continueAt) return this.state.stop({ kind: 'continue' });
    this.state.runOutstanding(() => this.runLive(open, call, before));
  }

  private async runLive(open: OpenSlot, call: CheckedCall, before: Before): Promise<void> {
    let recovering = before.announced;
    if (announcesItself(call) && !before.announced) {
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
    const { clock, stayMillis } = this.state;
    const history = { recover: recovering, callsMade: before.callsMade };
    const outcome = await executeCall(call, history, {
      clock,
      stayMillis,
      signal: open.action.callSignal,
    });
    const announced = before.announced || announcesItself(call);
    if (outcome.kind === 'postponed') await this.postpone(open, call, outcome, announced);
    else await this.slots.settle(open, outcome, announced);
  }

  /** A long wait between two attempts costs nothing: the run may be suspended meanwhile. */
  private async postpone(
    open: OpenSlot,
    call: CheckedCall,
    { callsMade, waitMillis }: Extract<CallOutcome, { kind: 'postponed' }>,
    announced: boolean,
  ): Promise<void> {
    const until = this.state.clock.now() + waitMillis;
    const pending = this.slots.recordOf(open, 'PENDING', { callsMade, until });
    const result = await this.state.recorder.postpone(pending, announced);
    if (result.kind === 'lost') return this.state.stop({ kind: 'lost' });
    if (result.record.status !== 'PENDING') return this.slots.adopt(open, result.record);
    this.waitToRepeat(open, call, result.record);
  }

  private waitToRepeat(open: OpenSlot, call: CheckedCall, { until, callsMade = 0 }: CallRecord): void {
    this.waits.add({ open, until, onTime: () => this.startLive(open, call, { announced: true, callsMade }) });
  }
}

/** What earlier drives have done about a call. */
interface Before {
  /** Whether a PENDING record stands in its slot. */
  readonly announced: boolean;
  readonly callsMade: number;
}

/** What is right for a call whose record is still PENDING. */
function recoveryOf(call: CheckedCall): AskedCall['recovery'] {
  if (call.reconcile) return 'reconcile';
  return call.semantics === 'at-most-once' ? 'interrupt' : 'none';
}

function interrupted(call: CheckedCall): Extract<CallOutcome, { kind: 'failed' }> {
  const error = new CallInterruptedError(
    `Durable call "${call.id}" was interrupted and is at-most-once, so whether it happened is not known. Look at its target, or give the call a reconciler.`,
  );
  return { kind: 'failed', text: encodeThrown(error) };
}
