import { insideCall } from '../../durable/inside-call.ts';
import { HOOK_MILLIS, SUBMIT_MILLIS } from '../../polling/hook-limits.ts';
import { within } from '../../polling/within.ts';
import type { PlannedSubagent } from '../../subagents/plan-subagent.ts';
import type { SubagentCall } from '../../subagents/subagent-call.ts';
import type { DriveState } from './drive-state.ts';

/** The remote side of one call, as the setup's hooks reach it. */
export class RemoteJob {
  readonly #state: DriveState;
  readonly #planned: PlannedSubagent;
  readonly #call: () => SubagentCall;

  /** @param call gives each hook a copy of its own */
  constructor(state: DriveState, planned: PlannedSubagent, call: () => SubagentCall) {
    this.#state = state;
    this.#planned = planned;
    this.#call = call;
  }

  /**
   * Hands the job over, or finds out whether it was (`recovering`).
   * @returns `false`: the drive gave up meanwhile, and whether it arrived is not known
   * @throws what the hook throws
   */
  async submit(recovering: boolean): Promise<boolean> {
    const setup = this.#planned.setup();
    const [name, hook] = recovering
      ? (['reconcileSubmitRequest', () => setup.reconcileSubmitRequest(this.#call())] as const)
      : (['callSubmitRequest', () => setup.callSubmitRequest(this.#call())] as const);
    const { promise: givenUp, resolve } = Promise.withResolvers<false>();
    const { signal } = this.#state.givenUp;
    const give = (): void => resolve(false);
    signal.addEventListener('abort', give, { once: true });
    const handedOver = this.#run(SUBMIT_MILLIS, name, hook).then(() => true);
    try {
      return await Promise.race([handedOver, givenUp]);
    } finally {
      signal.removeEventListener('abort', give);
      // After giving up nobody waits for it any more.
      handedOver.catch(() => {});
    }
  }

  /** Asks the remote to stop. A failure is told in the trace and changes nothing. */
  async cancel(): Promise<void> {
    const call = this.#call();
    const { name } = call.completion;
    try {
      const setup = this.#planned.setup();
      await this.#run(HOOK_MILLIS, 'callCancelRequest', () => setup.callCancelRequest(call));
    } catch (error) {
      this.#state.tracer.write({
        entityType: 'subagent',
        entityName: this.#planned.name,
        executionId: name,
        parentExecutionId: name.split('#', 1)[0] ?? '',
        status: 'failed',
        problemCategory: 'subagent_cancel_failed',
        error,
      });
    }
  }

  #run<T>(millis: number, name: string, hook: () => Promise<T>): Promise<T> {
    return within(this.#state.clock, millis, name, () => insideCall(this.#planned.name, hook));
  }
}
