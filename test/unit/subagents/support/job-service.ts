import { AsyncSubagentSetup, RunStatus, type SubagentCall, SubagentResult } from 'lambda-agents';
import * as z from 'zod';
import type { Clock } from '../../../../lib/ports/clock.ts';

/** The hooks of a setup. */
export type Hook = 'submit' | 'reconcile' | 'status' | 'fetch' | 'cancel';

/** One request that the service got. */
export interface HookCall {
  readonly hook: Hook;
  readonly call: SubagentCall;
  readonly at: number;
}

/** What the service does: also what no service should. `nth` counts the requests of this kind for this job, from 1. */
export type Answer = (call: SubagentCall, nth: number) => unknown;

/** Of hooks that a test does not name: jobs are taken, complete at their first probe with "done", and can be cancelled. */
export type Answers = { readonly [H in Hook]?: Answer };

const DEFAULTS: Readonly<Record<Exclude<Hook, 'reconcile'>, Answer>> = {
  submit: () => undefined,
  status: () => RunStatus.completed(),
  fetch: () => SubagentResult.ok('done'),
  cancel: () => undefined,
};

/** A remote service that a test scripts request by request, and that remembers all of them with their times. */
export class JobService {
  readonly log: HookCall[] = [];
  /** How long each request takes, in milliseconds. */
  latencyMillis = 0;
  answers: Answers;
  #clock: Clock | undefined;

  constructor(answers: Answers = {}) {
    this.answers = answers;
  }

  /** The clock of the deployment whose runs use it. */
  useClock(clock: Clock): void {
    this.#clock = clock;
  }

  async ask(hook: Hook, call: SubagentCall): Promise<unknown> {
    this.note(hook, call);
    if (this.latencyMillis > 0) await passTime(this.clock, this.latencyMillis);
    const answer = this.answers[hook] ?? DEFAULTS[hook as keyof typeof DEFAULTS];
    return answer(call, this.times(hook, call.key).length);
  }

  note(hook: Hook, call: SubagentCall): void {
    this.log.push({ hook, call, at: this.clock.now() });
  }

  /** How often a hook was asked. */
  count(hook: Hook): number {
    return this.log.filter((entry) => entry.hook === hook).length;
  }

  /** When a hook was asked about a job. */
  times(hook: Hook, key: string): readonly number[] {
    return this.log.filter((entry) => entry.hook === hook && entry.call.key === key).map(({ at }) => at);
  }

  /** The jobs that it was asked about, in order. */
  get jobs(): readonly SubagentCall[] {
    return [...new Map(this.log.map(({ call }) => [call.key, call])).values()];
  }

  get clock(): Clock {
    if (this.#clock === undefined) throw new Error('The service has no clock yet. Simulate a deployment with it.');
    return this.#clock;
  }
}

/** Lets a while pass on the clock. */
export const passTime = (clock: Clock, millis: number): Promise<void> =>
  new Promise((resolve) => void clock.after(millis, resolve, 'wait'));

/** The setup class of jobs at such a service. */
export class JobSetup extends AsyncSubagentSetup.withConfig(z.object({ service: z.instanceof(JobService) })) {
  async callSubmitRequest(call: SubagentCall): Promise<void> {
    await this.config.service.ask('submit', call);
  }
  async callQueryStatus(call: SubagentCall): Promise<RunStatus> {
    return (await this.config.service.ask('status', call)) as RunStatus;
  }
  async callFetchResult(call: SubagentCall): Promise<SubagentResult> {
    return (await this.config.service.ask('fetch', call)) as SubagentResult;
  }
  override async callCancelRequest(call: SubagentCall): Promise<void> {
    await this.config.service.ask('cancel', call);
  }
  /** Without an answer of the test's own as the base class does it. */
  override async reconcileSubmitRequest(call: SubagentCall): Promise<void> {
    if (this.config.service.answers.reconcile) return void (await this.config.service.ask('reconcile', call));
    this.config.service.note('reconcile', call);
    await super.reconcileSubmitRequest(call);
  }
}
