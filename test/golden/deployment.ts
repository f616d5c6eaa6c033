import type { Item, ItemKey } from '../../lib/ports/item-store.ts';
import type { PayloadReference } from '../../lib/ports/payload-store.ts';
import { runIdOfPartition } from '../../lib/store/keys.ts';
import { CrashPlan } from '../../lib/testing/crashing-process.ts';
import { ScriptedService, withScripts } from '../../lib/testing/scripted.ts';
import { SimulatedDeployment } from '../../lib/testing/simulated-deployment.ts';
import { fakeServices } from './fake-services.ts';
import { type Effect, type GoldenProgram, PROGRAMS } from './programs.ts';

/** An item as a write left it; `null`: the write deleted it. */
export interface GoldenWrite {
  readonly key: readonly [pk: string, sk: string];
  readonly item: Item | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Everything that a program recorded, and how it ended. */
export interface GoldenJournal {
  readonly writes: readonly GoldenWrite[];
  /** Texts outside of the table, with the folder that they were put into. */
  readonly payloads: readonly { readonly folder: string; readonly text: string }[];
  /** What a receiver got, each message once, by run. */
  readonly messages: Readonly<Record<string, readonly unknown[]>>;
}

/** A program in a deployment of its own. */
export class GoldenRun {
  readonly deployment: SimulatedDeployment;
  readonly program: GoldenProgram;
  readonly services: ReadonlyMap<string, ScriptedService>;
  /** Calls whose bodies ran. */
  readonly effects: string[] = [];
  readonly #start: number;
  /** Keys of the jobs that the test runner has. */
  readonly #knownJobs: string[] = [];

  constructor(name: string) {
    const create = PROGRAMS[name];
    if (create === undefined)
      throw new Error(`There is no program "${name}". Use one of ${Object.keys(PROGRAMS).join(', ')}.`);
    const effect: Effect = (id) => void this.effects.push(id);
    this.program = create(effect);
    const scripts = Object.entries(this.program.subagents ?? {});
    this.services = new Map(scripts.map(([service, script]) => [service, new ScriptedService(service, script)]));
    const agents = withScripts([this.program.agent], this.services);
    this.deployment = new SimulatedDeployment({ agents, crashes: new CrashPlan([]) });
    this.#start = this.deployment.clock.now();
  }

  /** Run ids of its requests. */
  get runIds(): readonly string[] {
    return this.program.requests.flatMap(({ body }) => ('requestId' in body ? [String(body.requestId)] : []));
  }

  /** Sends every request, as SQS does until it is answered, and lets everything come to its end. */
  async finish(): Promise<void> {
    const { fetch, environment } = fakeServices(this.#knownJobs);
    const before = { fetch: globalThis.fetch, variables: { ...process.env } };
    globalThis.fetch = fetch;
    Object.assign(process.env, environment);
    try {
      const passed = this.deployment.clock.now() - this.#start;
      for (const { body, group, afterMillis = 0 } of this.program.requests)
        this.deployment.send(body, group, Math.max(afterMillis - passed, 0));
      await this.deployment.settle(async () => {
        const runs = await Promise.all(this.runIds.map((runId) => this.deployment.run(runId)));
        return runs.every((run) => run !== undefined && ['COMPLETED', 'FAILED'].includes(run.status));
      });
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

  /** Puts back what stood in the store at a time, and makes the services know what they were sent. */
  async restore(writes: readonly GoldenWrite[], payloads: GoldenJournal['payloads']): Promise<void> {
    const { items, payloads: store, clock } = this.deployment;
    for (const { folder, text } of payloads) await store.put(folder, text);
    for (const {
      key: [pk, sk],
      item,
    } of writes) {
      if (item === null) await items.delete({ pk, sk });
      else await items.put(item);
    }
    const last = writes.at(-1);
    if (last) clock.advanceTo(last.at);
    for (const item of items.items().filter(({ sk }) => sk.startsWith('POLL#'))) {
      const { pk, sb, si, ci, ttl, iv, g, on } = item;
      const key = `${si}#${ci}`;
      if (sb !== undefined) {
        this.#knownJobs.push(key);
        const completion = { requestId: '', name: '', token: '' };
        this.services
          .get(String(sb))
          ?.submit({ prompt: null, sessionId: String(si), callId: String(ci), key, completion });
      } else if (on === 1) {
        // Executions outlive the processes.
        const poller = {
          runId: runIdOfPartition(pk),
          ttl: Number(ttl),
          intervalMillis: Number(iv),
          generation: Number(g),
        };
        await this.deployment.polls.start(poller);
      }
    }
  }
}

/** Watches what is written, in order. */
export function watchWrites({ items, payloads, clock }: SimulatedDeployment): Omit<GoldenJournal, 'messages'> {
  const writes: GoldenWrite[] = [];
  const texts: { folder: string; text: string }[] = [];
  const note = ({ pk, sk }: ItemKey): void => {
    const item = items.items().find((stored) => stored.pk === pk && stored.sk === sk) ?? null;
    const before = writes.findLast(({ key }) => key[0] === pk && key[1] === sk);
    if (JSON.stringify(before?.item ?? null) !== JSON.stringify(item))
      writes.push({ key: [pk, sk], item, at: clock.now() });
  };
  const put = items.put.bind(items);
  const update = items.update.bind(items);
  const remove = items.delete.bind(items);
  items.put = async (item, condition) => put(item, condition).finally(() => note(item));
  items.update = async (key, change, condition) => update(key, change, condition).finally(() => note(key));
  items.delete = async (key) => remove(key).finally(() => note(key));
  const putText = payloads.put.bind(payloads);
  payloads.put = async (folder: string, text: string): Promise<PayloadReference> => {
    texts.push({ folder, text });
    return putText(folder, text);
  };
  return { writes, payloads: texts };
}
