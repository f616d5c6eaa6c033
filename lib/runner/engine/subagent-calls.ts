import { decideReplay } from '../../durable/decide-replay.ts';
import type { PolledRun } from '../../polling/poll-ports.ts';
import type { CallRecord } from '../../store/journal.ts';
import type { PlannedSubagent } from '../../subagents/plan-subagent.ts';
import { SubagentFuture } from '../../subagents/subagent-future.ts';
import { SubagentResult } from '../../subagents/subagent-result.ts';
import { digestJson } from '../../values/digest.ts';
import { checkJson } from '../../values/json-value.ts';
import { encodeValue } from '../../values/value-codec.ts';
import type { ActionRun } from './action-run.ts';
import type { DriveState } from './drive-state.ts';
import type { ExternalWaits } from './external-waits.ts';
import { OpenCall } from './open-call.ts';
import { RemoteJob } from './remote-job.ts';
import type { OpenSlot, Slots } from './slots.ts';
import { subagentFault } from './subagent-fault.ts';
import { callIdOf, checkSubmit, sessionIdOf } from './subagent-identity.ts';
import { SubagentRecords } from './subagent-records.ts';

/** What following calls of sub-agents needs besides the drive. */
export interface SubagentOptions {
  readonly run: PolledRun;
  readonly agent: string;
  readonly key: string | undefined;
  /** Largest stored value in UTF-8 bytes. */
  readonly maxBytes: number;
  readonly createToken: () => string;
  /** `false`: the drive before this one died, perhaps before it told a poller of its calls. */
  readonly wasSuspended: boolean;
}

/** `submit` of sub-agents that are polled: their submission, their waiting, their cancellation, and all of it in a replay. */
export class SubagentCalls {
  readonly #state: DriveState;
  readonly #slots: Slots;
  readonly #waits: ExternalWaits;
  readonly #options: SubagentOptions;
  readonly #records: SubagentRecords;
  readonly #calls = new Map<ActionRun, OpenCall[]>();

  constructor(state: DriveState, slots: Slots, waits: ExternalWaits, options: SubagentOptions) {
    this.#state = state;
    this.#slots = slots;
    this.#waits = waits;
    this.#options = options;
    this.#records = new SubagentRecords(options.run, options.agent, options.maxBytes);
  }

  /** @throws AgentError for a prompt that is no JSON, or bad options */
  submit(action: ActionRun, planned: PlannedSubagent, prompt: unknown, options: unknown): SubagentFuture {
    const { sessionId: given } = checkSubmit(options);
    const what = `the prompt of sub-agent "${planned.name}"`;
    checkJson(prompt, what);
    const promptText = encodeValue(prompt, what);
    const argsDigest = digestJson({ prompt, sessionId: given ?? null });
    const asked = { id: planned.name, kind: 'subagent', argsDigest } as const;
    let call: OpenCall | undefined;
    const future = this.#slots.openAs(SubagentFuture<unknown>, action, asked, (open, record) => {
      call = this.#openCall(open, planned, promptText, given, record?.intervalMillis ?? planned.intervalMillis);
      this.#place(call, record);
    });
    if (call) this.#follow(call, future);
    return future;
  }

  /** Before an action is recorded as finished: who waits for nobody any more is cancelled, and every cancellation is brought to its end. */
  async endAction(action: ActionRun): Promise<void> {
    const calls = this.#calls.get(action) ?? [];
    this.#calls.delete(action);
    await Promise.all(calls.map((call) => (call.isSettled ? call.underWay : this.#abandon(call))));
  }

  #openCall(
    open: OpenSlot,
    planned: PlannedSubagent,
    promptText: string,
    given: string | undefined,
    intervalMillis: number,
  ): OpenCall {
    const { run, agent, key } = this.#options;
    const { runId } = run;
    const callId = callIdOf(runId, open.action.queued.id, open.slot);
    const sessionId = given === undefined ? callId : sessionIdOf({ agent, key, runId }, given);
    const call = new OpenCall({ open, planned, promptText, sessionId, callId, intervalMillis });
    this.#calls.set(open.action, [...(this.#calls.get(open.action) ?? []), call]);
    return call;
  }

  #follow(call: OpenCall, future: SubagentFuture): void {
    future.listen({
      awaited: () => {
        call.isAwaited = true;
        this.#surface(call);
      },
      cancelled: () => this.#cancel(call),
    });
  }

  #place(call: OpenCall, record: CallRecord | undefined): void {
    const { open } = call;
    const { argsDigest } = open.asked;
    const decision = decideReplay(record, { kind: 'subagent', argsDigest, view: open.action.view, recovery: 'wait' });
    switch (decision.kind) {
      case 'return':
      case 'throw':
        this.#slots.replay(call.open, decision.record);
        return this.#finishEnd(call, decision.record);
      case 'cancelled':
        call.cancelledBefore = decision.record;
        // Its entry says that the remote is still to be told.
        call.isCleanedUp = !this.#state.journal.polls.entries.has(decision.record.ordinal);
        this.#meet(call, decision.record);
        return;
      case 'mismatch':
        return this.#slots.mismatch(open, decision);
      case 'wait':
        return this.#resume(call, decision.record);
      default:
        if (this.#state.clock.now() >= this.#state.times.continueAt) return this.#state.stop({ kind: 'continue' });
        this.#work(call, () => this.#submitNew(call));
    }
  }

  /** The call was submitted in an earlier drive, or may have been. */
  #resume(call: OpenCall, record: CallRecord): void {
    if (record.fault !== undefined)
      return this.#state.stop({ kind: 'failed', error: subagentFault(call.planned.name, record.fault) });
    if (!this.#state.journal.polls.entries.has(record.ordinal)) return this.#work(call, () => this.#recover(call));
    this.#meet(call, record);
    if (!this.#options.wasSuspended) this.#waits.noteJoin(call.intervalMillis);
    this.#wait(call, record);
  }

  async #submitNew(call: OpenCall): Promise<void> {
    const { timeoutMillis, intervalMillis } = call.planned;
    const until = timeoutMillis === undefined ? {} : { until: this.#state.clock.now() + timeoutMillis };
    const token = this.#options.createToken();
    const pending = this.#slots.recordOf(call.open, 'PENDING', { token, intervalMillis, ...until });
    const result = await this.#state.recorder.announce(pending);
    if (result.kind === 'lost') return this.#state.stop({ kind: 'lost' });
    if (result.record.status !== 'PENDING') return this.#adopt(call, result.record);
    await this.#handOver(call, result.record, result.kind === 'adopted');
  }

  /** Its entry is missing: it was not handed over for certain, unless it has ended since the journal was read. */
  async #recover(call: OpenCall): Promise<void> {
    const record = await this.#records.read(call);
    if (record === undefined) return this.#state.stop({ kind: 'lost' });
    if (record.status !== 'PENDING') return this.#adopt(call, record);
    await this.#handOver(call, record, true);
  }

  async #handOver(call: OpenCall, record: CallRecord, recovering: boolean): Promise<void> {
    if (!this.#state.lease.isValid()) return this.#state.stop({ kind: 'lost' });
    this.#slots.trace(call.open, 'started');
    const job = this.#meet(call, record);
    try {
      if (!(await job.submit(recovering))) return await this.#leaveToEnd(call, record);
    } catch (error) {
      call.problem = { error };
      return this.#surface(call);
    }
    if (!this.#state.lease.isValid()) return this.#state.stop({ kind: 'lost' });
    await this.#records.enter(call, record);
    const standing = await this.#records.read(call);
    if (standing !== undefined && standing.status !== 'PENDING') {
      // The remote has completed it by a message meanwhile: of the entry nobody else knows.
      await this.#records.forget(call);
      return this.#adopt(call, standing);
    }
    this.#waits.noteJoin(call.intervalMillis);
    this.#wait(call, record);
  }

  /** The drive gave up before the remote had answered. That of a cancelled run is told to stop, as if it had taken the job. */
  async #leaveToEnd(call: OpenCall, record: CallRecord): Promise<void> {
    const isCancelled = this.#state.stopReason?.kind === 'cancelled';
    if (isCancelled && this.#state.lease.isValid()) await this.#records.enter(call, record);
  }

  #wait(call: OpenCall, { until, startedAt }: CallRecord): void {
    this.#waits.add({
      open: call.open,
      until,
      intervalMillis: call.intervalMillis,
      onTime: () => this.#work(call, () => this.#timeOut(call, (until ?? 0) - startedAt)),
    });
  }

  /** The answer is fixed before the remote is asked to stop: else it could answer that it was stopped. */
  async #timeOut(call: OpenCall, limitMillis: number): Promise<void> {
    const answer = SubagentResult.error(`Sub-agent "${call.planned.name}" gave no answer within ${limitMillis} ms.`);
    const stored = await this.#records.storeAnswer(answer);
    const record = await this.#slots.settle(call.open, { kind: 'stored', stored }, true);
    if (record?.epoch !== undefined) await this.#cleanUp(call);
  }

  /** Whoever recorded the answer died before the rest: the entry is still there. */
  #finishEnd(call: OpenCall, record: CallRecord): void {
    if (!this.#state.journal.polls.entries.has(record.ordinal)) return;
    // Only a driver, at the end of a time limit, has to tell the remote.
    if (record.epoch === undefined) return this.#work(call, () => this.#records.forget(call));
    this.#meet(call, record);
    this.#work(call, () => this.#cleanUp(call));
  }

  /** User code gives the call up. Of this and its answer, whichever is recorded first wins. */
  #cancel(call: OpenCall): void {
    if (call.isSettled || this.#state.isOver) return;
    call.isGivenUp = true;
    if (call.cancelledBefore) {
      this.#slots.replay(call.open, call.cancelledBefore);
      return this.#work(call, () => this.#cleanUp(call));
    }
    this.#work(call, async () => {
      if (this.#state.isOver || call.isSettled) return;
      this.#waits.drop(call.open);
      const record = await this.#slots.settle(call.open, { kind: 'abandoned' }, true);
      if (record?.status === 'CANCELLED') await this.#cleanUp(call);
    });
  }

  /** The same for a call that nobody waits for any more; nobody is told. */
  async #abandon(call: OpenCall): Promise<void> {
    await call.underWay;
    if (call.isSettled) return;
    const standing = await this.#records.abandon(call);
    if (standing === 'CANCELLED') await this.#cleanUp(call);
  }

  async #cleanUp(call: OpenCall): Promise<void> {
    if (call.isCleanedUp) return;
    call.isCleanedUp = true;
    await call.job?.cancel();
    await this.#records.forget(call);
  }

  #adopt(call: OpenCall, record: CallRecord): void {
    if (record.status === 'CANCELLED') call.cancelledBefore = record;
    else this.#slots.adopt(call.open, record);
  }

  #meet(call: OpenCall, { token = '' }: CallRecord): RemoteJob {
    const { runId } = this.#options.run;
    call.job = new RemoteJob(this.#state, call.planned, () => call.toSubagentCall(runId, token));
    return call.job;
  }

  /** Whoever waits for a call that could not be submitted waits in vain: another attempt finds out whether it was. */
  #surface({ problem, isAwaited, isGivenUp }: OpenCall): void {
    if (problem && isAwaited && !isGivenUp) this.#state.stop({ kind: 'attempt-failed', error: problem.error });
  }

  /** Work of one call, one after the other. */
  #work(call: OpenCall, work: () => Promise<void>): void {
    const before = call.underWay;
    const { promise, resolve } = Promise.withResolvers<void>();
    call.underWay = promise;
    this.#state.runOutstanding(async () => {
      await before;
      await work().finally(resolve);
    });
  }
}
