import { AgentError } from '../../errors/agent-error.ts';
import type { RenewResult } from '../drive/drive-lease.ts';
import { ActionRunner, type ActionRunnerOptions } from './action-runner.ts';
import type { DriveState } from './drive-state.ts';
import type { EngineOutcome } from './engine-outcome.ts';
import { ExternalWaits, type KnownWorld } from './external-waits.ts';
import type { Delivery } from './order-log.ts';
import { formatOrdinals } from './settle-order.ts';
import { microtasksDrained } from './signal.ts';
import { Slots } from './slots.ts';
import { SubagentCalls, type SubagentOptions } from './subagent-calls.ts';
import { Suspension, type SuspensionOptions } from './suspension.ts';

export interface EngineOptions extends Omit<ActionRunnerOptions, 'slots' | 'waits' | 'subagents'> {
  /** Stored form of the run's input. */
  readonly inputText: string;
  /** Ordinals that earlier drives saw, in order, as they stand in the run record. */
  readonly seenOrdinals: readonly number[];
  readonly world: KnownWorld;
  /** What suspending the run needs. */
  readonly suspend: Omit<SuspensionOptions, 'state' | 'waits'>;
  /** What calls of sub-agents need. */
  readonly subagents: SubagentOptions;
}

/**
 * Takes a run to quiescence in memory. Actions start in the order of a queue that is fed in emission order; a queued action starts
 * before the next outcome is shown, and no two pieces of action code run at the same time.
 */
export class RunEngine {
  private readonly options: EngineOptions;
  private readonly state: DriveState;
  private readonly actions: ActionRunner;
  private readonly waits: ExternalWaits;
  private readonly suspension: Suspension;
  /** Ordinals that this drive has shown beyond the earlier ones. */
  private readonly shown: number[] = [];

  constructor(options: EngineOptions) {
    this.options = options;
    this.state = options.state;
    const slots = new Slots(options.state);
    this.waits = new ExternalWaits(options.state, slots, options.world);
    this.suspension = new Suspension({ ...options.suspend, state: options.state, waits: this.waits });
    const subagents = new SubagentCalls(options.state, slots, this.waits, options.subagents);
    this.actions = new ActionRunner({ ...options, slots, waits: this.waits, subagents });
  }

  async run(): Promise<EngineOutcome> {
    const stopTimers = this.startTimers();
    try {
      this.actions.emitInput(this.options.inputText);
      await this.loop();
    } catch (error) {
      this.state.stop({ kind: 'attempt-failed', error });
    }
    await this.drain();
    stopTimers();
    this.waits.close();
    // Past its lease a driver writes nothing, not even how it ended.
    if (!this.state.lease.isValid()) this.state.stop({ kind: 'lost' });
    this.state.close();
    if (this.state.stopReason) return this.state.stopReason;
    return { kind: 'quiescent', outputs: this.actions.outputs, shortTerm: this.actions.shortTermWrites() };
  }

  private startTimers(): () => void {
    const { clock, times, lease } = this.state;
    const giveUp = (): void => {
      this.state.givenUp.abort();
      this.state.stop({ kind: 'continue' });
    };
    const cancelGiveUp = clock.after(Math.max(times.giveUpAt - clock.now(), 0), giveUp, 'background');
    const stopRenewing = lease.keep(
      (loss) => this.state.stop({ kind: loss }),
      (wakeCount) => this.waits.notice(wakeCount),
    );
    return () => {
      cancelGiveUp();
      stopRenewing();
    };
  }

  private async loop(): Promise<void> {
    while (!this.state.isOver) {
      if (this.actions.hasQueued) {
        if (this.actions.startNext()) await this.quiet();
        continue;
      }
      const delivery = await this.nextDelivery();
      if (delivery === undefined) break;
      if (!(await this.mayShow(delivery))) return;
      await delivery.deliver();
      await this.quiet();
    }
    const stuck = this.state.isOver ? [] : this.actions.runningPaths();
    if (stuck.length > 0) {
      const error = new AgentError(
        'INVALID_CALL',
        `Nothing can wake the actions ${stuck.join(', ')}: they wait for something that the run does not know. Wait for durable calls only.`,
      );
      this.state.stop({ kind: 'attempt-failed', error });
    }
  }

  /** Waits until no action code runs: every started action waits for a durable call or has ended. */
  private async quiet(): Promise<void> {
    for (;;) {
      await microtasksDrained();
      if (this.state.isOver || (this.state.busy === 0 && this.actions.isParked)) return;
      await this.state.changed.wait();
    }
  }

  private async nextDelivery(): Promise<Delivery | undefined> {
    while (!this.state.isOver) {
      const recorded = this.state.order.nextRecorded();
      if (recorded) return recorded;
      this.waits.settleQuietly();
      const arrival = this.state.order.nextArrival();
      if (arrival) {
        const delivery = await arrival;
        if (delivery) return delivery;
      } else if (this.suspension.isDue) {
        await this.suspend();
      } else if (this.state.outstanding === 0 && this.waits.waiting().length === 0) {
        return undefined;
      } else {
        await this.stay();
      }
    }
    return undefined;
  }

  /** Waits for what is under way, or for a time that is worth staying for. */
  private async stay(): Promise<void> {
    const { clock, outstanding } = this.state;
    const end = outstanding > 0 ? undefined : this.waits.earliestEnd();
    // The waits have timers of their own; this one says that nothing else is to come before.
    const cancel = end === undefined ? () => {} : clock.after(Math.max(end - clock.now(), 0), () => {}, 'wait');
    const poll = (): void => this.state.runOutstanding(() => this.suspension.pollMeanwhile());
    const { joinedAt } = this.waits;
    const pollAt = joinedAt === undefined ? undefined : joinedAt + this.state.stayMillis;
    const cancelPoll =
      pollAt === undefined ? () => {} : clock.after(Math.max(pollAt - clock.now(), 0), poll, 'background');
    await this.state.changed.wait();
    cancel();
    cancelPoll();
  }

  /** What code outside of durable calls asks for meanwhile begins only if the run is not suspended. */
  private async suspend(): Promise<void> {
    const goOn = this.state.pause();
    try {
      const result = await this.suspension.suspend();
      if (result.kind === 'news') await this.waits.look(result.wakeCount);
      else
        this.state.stop(result.kind === 'suspended' ? { kind: 'suspended', until: this.waits.earliestEnd() } : result);
    } catch (error) {
      this.state.stop({ kind: 'attempt-failed', error });
    } finally {
      goOn();
    }
  }

  /** What somebody else recorded gets its place in the run record before user code sees it. */
  private async mayShow({ source, ordinal }: Delivery): Promise<boolean> {
    if (source !== 'earlier') this.shown.push(ordinal);
    const owned = source === 'adopted' ? await this.renewWithOrder() : this.state.lease.isValid() ? 'owned' : 'lost';
    if (owned !== 'owned') this.state.stop({ kind: owned });
    return !this.state.isOver;
  }

  private renewWithOrder(): Promise<RenewResult> {
    return this.state.lease.renew(formatOrdinals([...this.options.seenOrdinals, ...this.shown]));
  }

  /** What is under way when the drive stops is still recorded, so that nothing is done twice, but not shown. */
  private async drain(): Promise<void> {
    while (this.state.outstanding > 0 && this.state.stopReason?.kind !== 'lost') await this.state.changed.wait();
  }
}
