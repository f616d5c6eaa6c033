import { isFinal } from '../../lib/store/run-record.ts';
import { CrashPlan } from '../../lib/testing/crashing-process.ts';
import { ScriptedService, withScripts } from '../../lib/testing/scripted.ts';
import { SimulatedDeployment } from '../../lib/testing/simulated-deployment.ts';
import { fakeServices } from './fake-services.ts';
import type { GoldenJob, GoldenJournal, GoldenWrite } from './golden-journal.ts';
import type { GoldenProgram } from './golden-program.ts';
import { receiptOf, takenJobs } from './prefix.ts';
import { PROGRAMS } from './programs.ts';

/** A message that nobody answered comes back after six times the 30 seconds of its consumer. */
const VISIBILITY_MILLIS = 180_000;
/** A message may be sent again; so long after, that no run ends because of it. */
const REPEAT_MILLIS = 86_400_000;
/** How long after it took a job a remote reports. */
const REPORT_MILLIS = 60_000;
/** The first journals do not say what the remotes were told; none of theirs reports. */
const NO_COMPLETION = { requestId: '', name: '', token: '' };

/** What was on its way to runs when all processes died: nothing, as after a loss, or a wake for each. */
export type WakesAtCut = 'lost' | 'under way';

/** A program in a deployment of its own. */
export class GoldenRun {
  readonly deployment: SimulatedDeployment;
  readonly program: GoldenProgram;
  /** Ids of the calls whose bodies ran. */
  readonly effects: string[] = [];
  /** Keys of the jobs that were sent to remotes. */
  readonly sentJobs: string[] = [];
  /** The same jobs, of scripted services. */
  readonly jobs: GoldenJob[] = [];
  readonly #services: ReadonlyMap<string, ScriptedService>;
  readonly #start: number;
  #before: readonly GoldenWrite[] = [];

  constructor(name: string) {
    const create = PROGRAMS[name];
    if (create === undefined)
      throw new Error(`There is no program "${name}". Use one of ${Object.keys(PROGRAMS).join(', ')}.`);
    this.program = create(
      (id) => void this.effects.push(id),
      () => this.deployment.clock.now() - this.#start,
    );
    const scripts = Object.entries(this.program.subagents ?? {});
    this.#services = new Map(scripts.map(([service, script]) => [service, new ScriptedService(service, script)]));
    const agents = withScripts([this.program.agent], this.#services);
    this.deployment = new SimulatedDeployment({ agents, crashes: new CrashPlan([]) });
    this.#start = this.deployment.clock.now();
  }

  /** Run ids of its requests. */
  get runIds(): readonly string[] {
    return this.program.requests.flatMap(({ body }) => ('requestId' in body ? [String(body.requestId)] : []));
  }

  /** Puts back what stood in the store after the first writes, when every process died; the services know what they were sent. */
  async restore(journal: GoldenJournal, length: number, wakes: WakesAtCut): Promise<void> {
    const { items, payloads, clock, polls } = this.deployment;
    const writes = journal.writes.slice(0, length);
    this.#before = writes;
    for (const { folder, text } of journal.payloads) await payloads.put(folder, text);
    for (const { key, item } of writes) {
      if (item === null) await items.delete({ pk: key[0], sk: key[1] });
      else await items.put(item);
    }
    const last = writes.at(-1);
    if (last === undefined) return;
    clock.advanceTo(last.at);
    for (const { subagent, sessionId, callId, key, at } of takenJobs(writes)) {
      const completion = journal.jobs?.find((job) => job.key === key)?.completion;
      const call = { prompt: null, sessionId, callId, key };
      this.#services.get(subagent)?.submit({ ...call, completion: completion ?? NO_COMPLETION });
      if (completion) this.#report(subagent, { key, completion }, at);
    }
    for (const { pk, sk, ttl, iv, g, on } of items.items()) {
      // An execution outlives the processes; when the last write announced it, it was not started yet.
      if (!sk.startsWith('POLL#') || on !== 1 || (last.key[0] === pk && last.key[1] === sk)) continue;
      const runId = decodeURIComponent(pk.slice('RUN#'.length));
      await polls.start({ runId, ttl: Number(ttl), intervalMillis: Number(iv), generation: Number(g) });
    }
    if (wakes === 'lost') return;
    for (const runId of this.runIds) await this.deployment.wakes.send({ runId, reason: 'retry' });
  }

  /**
   * Sends every request, as SQS does until it is answered, and lets every run come to its end; then also what is delivered too often.
   * @throws Error when a run ends only because its request came again
   */
  async finish(): Promise<void> {
    const known = takenJobs(this.#before).map(({ key }) => key);
    for (const service of this.#services.values()) this.#watch(service);
    const { fetch, environment } = fakeServices({
      knownJobs: known,
      onTicket: () => this.effects.push('open-ticket'),
      onJob: (key) => this.sentJobs.push(key),
    });
    const before = { fetch: globalThis.fetch, variables: { ...process.env } };
    globalThis.fetch = fetch;
    Object.assign(process.env, environment);
    try {
      const repeatsFrom = this.deployment.clock.now() + REPEAT_MILLIS;
      const expected = this.#sendRequests();
      await this.deployment.settle(async () => this.deployment.accepts.length >= expected && (await this.#areFinal()));
      if (this.deployment.clock.now() >= repeatsFrom)
        throw new Error('A run went on only when its request was sent again, which nobody need do.');
      await this.deployment.settle(async () => this.deployment.isIdle);
    } finally {
      globalThis.fetch = before.fetch;
      for (const name of Object.keys(environment)) delete process.env[name];
      Object.assign(process.env, before.variables);
    }
  }

  /** What a receiver got, each message once, by run. */
  messages(): GoldenJournal['messages'] {
    const bodies = this.deployment.outputs.sent.map(
      ({ deduplicationId, body }) => [deduplicationId, JSON.parse(body)] as const,
    );
    const unique = [...new Map(bodies).values()];
    return Object.fromEntries(
      this.runIds.map((runId) => [runId, unique.filter(({ requestId }) => requestId === runId)]),
    );
  }

  /** @returns how many are to be answered before the runs can have ended */
  #sendRequests(): number {
    const passed = this.deployment.clock.now() - this.#start;
    let expected = 0;
    for (const request of this.program.requests) {
      const { body, group, afterMillis = 0 } = request;
      const receipt = receiptOf(request, this.#before);
      if (receipt === 'answered') {
        this.deployment.send(body, `repeat of ${JSON.stringify(body)}`, REPEAT_MILLIS);
        continue;
      }
      expected += 1;
      const delay = receipt === 'new' ? afterMillis - passed : VISIBILITY_MILLIS;
      this.deployment.send(body, group, Math.max(delay, 0));
    }
    return expected;
  }

  async #areFinal(): Promise<boolean> {
    const runs = await Promise.all(this.runIds.map((runId) => this.deployment.run(runId)));
    return runs.every((run) => run !== undefined && isFinal(run.status));
  }

  #watch(service: ScriptedService): void {
    const submit = service.submit.bind(service);
    service.submit = (call) => {
      submit(call);
      const { key, completion } = call;
      this.sentJobs.push(key);
      this.jobs.push({ key, completion });
      this.#report(service.name, { key, completion }, this.deployment.clock.now());
    };
  }

  /** A remote that reports by a message does so whether or not it did before. */
  #report(subagent: string, { key, completion }: GoldenJob, takenAt: number): void {
    const value = this.program.reports?.[subagent];
    if (value === undefined) return;
    const delay = takenAt + REPORT_MILLIS - this.deployment.clock.now();
    this.deployment.send({ signal: { ...completion, value } }, `job ${key}`, Math.max(delay, 0));
  }
}
