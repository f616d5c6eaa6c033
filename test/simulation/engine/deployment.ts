import type { OutputMessage, Wake } from '../../../lib/ports/queues.ts';
import type { RequestMessage } from '../../../lib/runner/accept/request-message.ts';
import { createRequestAcceptor, createRunDriver } from '../../../lib/runner/runtime.ts';
import { sweepRuns } from '../../../lib/runner/sweep-runs.ts';
import { runKey } from '../../../lib/store/keys.ts';
import { fromRunItem, type RunRecord } from '../../../lib/store/run-record.ts';
import type { Answer, ParkedCall, SimulatedPorts } from './gated-process.ts';
import { Interner } from './interner.ts';
import { ItemTable } from './item-table.ts';
import { type ProcessNode, ProcessTree, type Task } from './process-tree.ts';
import type { Mutant, Scenario } from './scenario.ts';
import type { World } from './world.ts';

export const START = Date.UTC(2026, 0, 1);
const ACCEPT_MILLIS = 30_000;
const DRIVE_MILLIS = 300_000;
/** Minutes ahead at which the sweeper looks, so that the clock need not be moved: what stays due is not woken at each of its rounds. */
const SWEEP_MINUTES = [1, 2, 3];

/** What a granted port call did. */
export interface CallEffect {
  readonly answer: number;
  readonly written?: { readonly place: number; readonly item: number };
  /** Number of the run that was woken. */
  readonly woken?: number;
  readonly sent?: readonly number[];
  /** Whether anything outside the process changed. */
  readonly changed: boolean;
}

/** The real functions and the in-memory store behind the numbers of a `World`. */
export class Deployment {
  readonly scenario: Scenario;
  readonly table: ItemTable;
  readonly processes: ProcessTree;
  readonly outputs = new Interner<OutputMessage>();
  readonly observations = new Interner<readonly string[]>();
  /** Numbers of the requests of each message group, in their order. */
  readonly groups: readonly (readonly number[])[];
  private readonly runPlaces: readonly number[];
  private readonly runs = new Map<number, RunRecord>();
  private readonly mutated = new Map<ParkedCall, ParkedCall | Answer>();
  private readonly swept = new Map<string, readonly number[]>();

  /** @param merging `false`: processes are told apart by every answer they have had */
  constructor(scenario: Scenario, merging = true) {
    this.scenario = scenario;
    const numbers = scenario.requests.map((_, number) => number);
    this.groups = [...Map.groupBy(numbers, (number) => scenario.requests[number]?.group).values()];
    this.processes = new ProcessTree((task, startedAt, ports) => this.launch(task, startedAt, ports), merging);
    this.table = new ItemTable(this.processes.answers);
    this.runPlaces = scenario.runIds.map((runId) => this.table.place(runKey(runId)));
  }

  first(): World {
    const { runIds, requests, faults } = this.scenario;
    return {
      items: [],
      now: START,
      requests: requests.map(() => 'waiting'),
      wakes: runIds.map(() => 0),
      processes: [],
      sent: [],
      observed: runIds.map(() => this.observations.id([])),
      left: faults,
    };
  }

  runNumber(runId: string): number {
    const number = this.scenario.runIds.indexOf(runId);
    if (number < 0) throw new Error(`The scenario does not name run ${runId}.`);
    return number;
  }

  runPlace(run: number): number {
    return this.runPlaces[run] ?? -1;
  }

  /** The record of a run, by the number of the run. */
  run(world: Pick<World, 'items'>, run: number): RunRecord | undefined {
    return this.record(world.items[this.runPlace(run)]);
  }

  /** The run record in an item. */
  record(number: number | undefined): RunRecord | undefined {
    const known = this.runs.get(number ?? 0);
    if (known || !number) return known;
    const item = this.table.item(number);
    const record = item && fromRunItem(item);
    if (record) this.runs.set(number, record);
    return record;
  }

  /** What a parked call does to the world. */
  effect(world: World, process: ProcessNode, call: ParkedCall): CallEffect | Promise<CallEffect> {
    const { mutant } = this.scenario;
    const meant = mutant ? this.mutate(mutant, process, call) : call;
    if ('kind' in meant) return { answer: this.processes.answers.id(meant), changed: false };
    switch (meant.name) {
      case 'wakes.send':
        return this.effectOf({ woken: this.runNumber((meant.args[0] as Wake).runId) });
      case 'outputs.send': {
        const sent = (meant.args[0] as readonly OutputMessage[]).map((message) => this.outputs.id(message));
        return this.effectOf({ sent }, sent.length > 0);
      }
      case 'remote.perform':
        return { answer: this.processes.answers.id(this.perform(world, String(meant.args[0]))), changed: true };
      default: {
        if (!meant.name.startsWith('items.')) throw new Error(`Nobody foresaw the port call ${meant.name}.`);
        const effect = this.table.effect(meant, world.items);
        const done = ({ answer, written }: Awaited<typeof effect>): CallEffect =>
          written ? { answer, written, changed: true } : { answer, changed: false };
        return effect instanceof Promise ? effect.then(done) : done(effect);
      }
    }
  }

  /** Numbers of the runs that the sweeper wakes in its next rounds. */
  async sweep(world: World): Promise<readonly number[]> {
    const name = `${this.runPlaces.map((place) => world.items[place] ?? 0)} ${world.now}`;
    const known = this.swept.get(name);
    if (known) return known;
    const items = await this.table.storeOf(this.runPlaces, world.items);
    const woken = new Set<number>();
    for (const minutes of SWEEP_MINUTES) {
      await sweepRuns({
        items,
        wakes: { send: async ({ runId }) => void woken.add(this.runNumber(runId)) },
        clock: { now: () => world.now + minutes * 60_000, after: () => () => {} },
      });
    }
    this.swept.set(name, [...woken]);
    return [...woken];
  }

  private effectOf(effect: Pick<CallEffect, 'woken' | 'sent'>, changed = true): CallEffect {
    return { answer: this.processes.answers.id({ kind: 'value', value: undefined }), ...effect, changed };
  }

  private mutate(mutant: Mutant, process: ProcessNode, call: ParkedCall): ParkedCall | Answer {
    const known = this.mutated.get(call) ?? mutant(call, process) ?? call;
    this.mutated.set(call, known);
    return known;
  }

  private perform(world: World, name: string): Answer {
    const { remote } = this.scenario;
    if (remote === undefined) throw new Error('The scenario has no remote.');
    return remote(name, (runId) => this.run(world, this.runNumber(runId)));
  }

  private launch(task: Task, startedAt: number, ports: SimulatedPorts): Promise<unknown> {
    const agents = this.scenario.agents(ports.remote);
    if (task.kind === 'drive')
      return createRunDriver({ agents, ports }).driveRun(
        { runId: task.runId, reason: 'due' },
        { deadline: startedAt + DRIVE_MILLIS },
      );
    const messages = task.requests.map((number) => this.message(number));
    return createRequestAcceptor({ agents, ports }).acceptRequests(messages, { deadline: startedAt + ACCEPT_MILLIS });
  }

  private message(number: number): RequestMessage {
    const request = this.scenario.requests[number];
    if (request === undefined) throw new Error(`The scenario has no request ${number}.`);
    return {
      messageId: messageId(number),
      groupId: request.group,
      sequenceNumber: String(number + 1),
      body: JSON.stringify(request.body),
    };
  }
}

export const messageId = (request: number): string => `message-${request}`;
