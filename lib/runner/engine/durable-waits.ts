import * as z from 'zod';
import { decideReplay } from '../../durable/decide-replay.ts';
import { checkSignal, checkSleep } from '../../durable/wait-options.ts';
import { AgentError } from '../../errors/agent-error.ts';
import type { CallRecord } from '../../store/journal.ts';
import type { ActionRun } from './action-run.ts';
import type { DriveState } from './drive-state.ts';
import type { ExternalWaits } from './external-waits.ts';
import type { OpenSlot, Slots } from './slots.ts';

/** `sleep` and `waitForSignal`: waits that are recorded when they begin and when they end. */
export class DurableWaits {
  private readonly state: DriveState;
  private readonly slots: Slots;
  private readonly waits: ExternalWaits;

  constructor(state: DriveState, slots: Slots, waits: ExternalWaits) {
    this.state = state;
    this.slots = slots;
    this.waits = waits;
  }

  /** @throws AgentError for bad options */
  sleep(action: ActionRun, millis: unknown, options: unknown): Promise<unknown> {
    const sleep = checkSleep(millis, options);
    return this.slots.open(action, { id: sleep.id, kind: 'sleep' }, (open, record) =>
      this.place(open, record, sleep.millis),
    );
  }

  /** @throws AgentError for bad options */
  waitForSignal(action: ActionRun, name: unknown, options: unknown): Promise<unknown> {
    const signal = checkSignal(name, options);
    const asked = { id: signal.name, kind: 'signal', signalName: signal.name } as const;
    return this.slots.open(action, asked, (open, record) =>
      this.place(signal.schema ? parsing(open, signal.schema) : open, record, signal.timeoutMillis),
    );
  }

  private place(open: OpenSlot, record: CallRecord | undefined, millis: number | undefined): void {
    const asked = { kind: open.asked.kind, argsDigest: undefined, view: open.action.view, recovery: 'wait' } as const;
    const decision = decideReplay(record, asked);
    switch (decision.kind) {
      case 'return':
      case 'throw':
        return this.slots.replay(open, decision.record);
      case 'mismatch':
        return this.slots.mismatch(open, decision);
      case 'wait':
        return this.waits.add({ open, until: decision.record.until });
      default:
        this.waits.expect(open);
        this.state.runOutstanding(() => this.begin(open, millis));
    }
  }

  /** The end of a wait counts from its record, so that a replay does not begin it again. */
  private async begin(open: OpenSlot, millis: number | undefined): Promise<void> {
    const until = millis === undefined ? undefined : this.state.clock.now() + millis;
    const pending = this.slots.recordOf(open, 'PENDING', until === undefined ? {} : { until });
    const result = await this.state.recorder.announce(pending);
    if (result.kind === 'lost') return this.state.stop({ kind: 'lost' });
    if (result.record.status !== 'PENDING') {
      this.waits.leave(open, result.record);
      return this.slots.adopt(open, result.record);
    }
    this.slots.trace(open, 'started');
    this.waits.add({ open, until: result.record.until });
  }
}

/** The same place, at which the value of a signal is shown as its schema gives it. The promise stays the one that its action is watched by. */
function parsing(open: OpenSlot, schema: z.ZodType): OpenSlot {
  const resolve = (value: unknown): void => {
    if (value === undefined) return open.resolve(undefined);
    try {
      const parsed = schema.safeParse(value);
      if (parsed.success) return open.resolve(parsed.data);
      const error = new AgentError(
        'INVALID_SIGNAL',
        `The value of signal "${open.asked.signalName}" does not fit its schema: ${z.prettifyError(parsed.error)} Send the signal with another value, and wait for it again.`,
      );
      // The value is recorded: another attempt could only refuse it again.
      open.action.shownFailures.add(error);
      open.reject(error);
    } catch (error) {
      open.reject(error);
    }
  };
  return { ...open, resolve };
}
