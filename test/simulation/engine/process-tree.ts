import { Continuations } from './continuations.ts';
import {
  type Answer,
  type Ending,
  GatedProcess,
  type ParkedCall,
  type SimulatedPorts,
  type Surroundings,
} from './gated-process.ts';
import { Interner } from './interner.ts';
import { rememberedAs } from './remembered-as.ts';

/** What a process was started for. */
export type Task =
  /** Numbers of the scenario's requests, in the order of their queue. */
  | { readonly kind: 'accept'; readonly requests: readonly number[] }
  | { readonly kind: 'drive'; readonly runId: string };

export interface ProcessNode {
  readonly id: number;
  readonly task: Task;
  readonly startedAt: number;
  readonly parent: ProcessNode | undefined;
  /** The call that was answered to come here, and how; absent at the start and after a timer. */
  readonly last: { readonly call: ParkedCall; readonly answer: Answer } | undefined;
  readonly parked: readonly ParkedCall[];
  readonly timers: readonly (readonly [number: number, dueAt: number])[];
  readonly ending: Ending | undefined;
  /** The driver token that the process has drawn, and the number in it. */
  readonly token: string | undefined;
  readonly driverNumber: number | undefined;
  /** What the program saw on the way here. */
  readonly observed: readonly string[];
}

/** How a process went on: a parked call was answered, or a timer fired. */
interface Edge {
  readonly call: number | undefined;
  readonly timer: number | undefined;
  readonly answer: number;
  readonly surroundings: Surroundings;
}

interface TreeNode extends ProcessNode {
  readonly parent: TreeNode | undefined;
  readonly edge: Edge | undefined;
  readonly children: Map<number, Branch>;
  /** What a process can still know here, as a number: `rememberedAs`. */
  readonly memory: number;
  /** Other ways to come to stand here, which must go on alike. */
  readonly others: TreeNode[];
  /** The process itself, as long as it stands here. */
  live: GatedProcess | undefined;
}

/** Goes on alike for every driver number unless a token was drawn. */
interface Branch {
  readonly edge: Edge;
  readonly drewToken: boolean;
  readonly byDriverNumber: Map<number, TreeNode>;
}

/** Live processes that are kept, so that the next answer need not repeat the ones before. */
const MAX_LIVE = 2_000;
/** Other ways to a node that are checked to go on alike. */
const MAX_OTHERS = 3;
/** Port calls of one process, and times of the clock. */
const MAX_CALLS = 1_024;
const MAX_TIMES = 16;

/**
 * Every behaviour of the real functions that was met. What a function does next depends on nothing but the answers it has had, so each
 * sequence of answers is executed once, by the real code, and looked up from then on. Merged, sequences that leave the same memory
 * (`rememberedAs`) are one node. Whatever is executed, merged or not, is checked to go on like every other process with the same memory;
 * of those that a node stands for a few are executed beside it.
 */
export class ProcessTree {
  readonly answers = new Interner<Answer>();
  private readonly launch: (task: Task, startedAt: number, ports: SimulatedPorts) => Promise<unknown>;
  private readonly merging: boolean;
  private readonly roots = new Map<string, TreeNode>();
  private readonly live = new Set<TreeNode>();
  private readonly nodes: TreeNode[] = [];
  private readonly byMemory = new Map<number, TreeNode>();
  private readonly continuations = new Continuations();
  private readonly times: number[] = [];
  private executed = 0;

  /** @param merging `false`: every sequence of answers is a node of its own */
  constructor(launch: (task: Task, startedAt: number, ports: SimulatedPorts) => Promise<unknown>, merging: boolean) {
    this.launch = launch;
    this.merging = merging;
  }

  /** Segments of the real code, from one answer to the next port calls, that were executed. */
  get executions(): number {
    return this.executed;
  }

  node(id: number): ProcessNode {
    const node = this.nodes[id];
    if (node === undefined) throw new Error(`There is no process node ${id}.`);
    return node;
  }

  /** @returns the node, at once when it is known */
  start(task: Task, surroundings: Surroundings): ProcessNode | Promise<ProcessNode> {
    const name = JSON.stringify([task, surroundings.now]);
    return this.roots.get(name) ?? this.startNew(name, task, surroundings);
  }

  private async startNew(name: string, task: Task, surroundings: Surroundings): Promise<ProcessNode> {
    const process = await this.launchProcess(task, surroundings);
    const root = this.add(
      this.nodeOf({ task, startedAt: surroundings.now, parent: undefined, edge: undefined, last: undefined }, process),
    );
    this.roots.set(name, root);
    return root;
  }

  /** Answers a parked call. */
  answer(
    from: ProcessNode,
    call: number,
    answer: number,
    surroundings: Surroundings,
  ): ProcessNode | Promise<ProcessNode> {
    return this.follow(from as TreeNode, { call, timer: undefined, answer, surroundings });
  }

  fire(from: ProcessNode, timer: number, surroundings: Surroundings): ProcessNode | Promise<ProcessNode> {
    return this.follow(from as TreeNode, { call: undefined, timer, answer: -1, surroundings });
  }

  private follow(from: TreeNode, edge: Edge): ProcessNode | Promise<ProcessNode> {
    const name = this.nameOf(edge);
    const branch = from.children.get(name);
    const known = branch?.byDriverNumber.get(branch.drewToken ? edge.surroundings.driverNumber : 0);
    return known ?? this.extend(from, name, edge);
  }

  /** Equal for equal edges of a node. */
  private nameOf({ call, timer = 0, answer, surroundings }: Edge): number {
    let time = this.times.indexOf(surroundings.now);
    if (time < 0) time = this.times.push(surroundings.now) - 1;
    if (time >= MAX_TIMES || (call ?? timer) >= MAX_CALLS)
      throw new Error('A process has more calls than its edges can name.');
    return ((answer + 1) * MAX_CALLS + (call ?? timer)) * MAX_TIMES + time;
  }

  private async extend(from: TreeNode, name: number, edge: Edge): Promise<ProcessNode> {
    const next = await this.execute(from, edge);
    for (const other of from.others) await this.executeBeside(other, from, edge);
    const node = await this.merged(next);
    const drewToken = next.driverNumber !== from.driverNumber;
    const branch = from.children.get(name) ?? { edge, drewToken, byDriverNumber: new Map() };
    if (branch.drewToken !== drewToken) throw new Error('A process behaved in two ways after the same answers.');
    branch.byDriverNumber.set(drewToken ? edge.surroundings.driverNumber : 0, node);
    from.children.set(name, branch);
    return node;
  }

  /** Another process that stands at `node` goes on in the same way. */
  private async executeBeside(other: TreeNode, node: TreeNode, edge: Edge): Promise<void> {
    const { call, timer } = placeIn(node, edge);
    await this.execute(other, { ...edge, call: other.parked[call]?.number, timer: other.timers[timer]?.[0] });
  }

  private async execute(from: TreeNode, edge: Edge): Promise<TreeNode> {
    const process = await this.revive(from);
    const call = from.parked.find(({ number }) => number === edge.call);
    await this.step(process, edge);
    const last = call && { call, answer: this.answers.value(edge.answer) };
    const next = this.nodeOf({ task: from.task, startedAt: from.startedAt, parent: from, edge, last }, process);
    const { call: atCall, timer } = placeIn(from, edge);
    const { now, driverNumber } = edge.surroundings;
    this.continuations.check({
      from: from.memory,
      answer: [atCall, timer, edge.answer, now].join(),
      drawn: next.token === from.token ? undefined : driverNumber,
      memory: next.memory,
    });
    return next;
  }

  /** The node that has the same memory, if there is one. */
  private async merged(node: TreeNode): Promise<TreeNode> {
    const known = this.merging ? this.byMemory.get(node.memory) : undefined;
    if (known === undefined) {
      this.byMemory.set(node.memory, node);
      return this.add(node);
    }
    if (known.others.length < MAX_OTHERS) {
      known.others.push(node);
      for (const { edge, byDriverNumber } of known.children.values()) {
        const [driverNumber = 0] = byDriverNumber.keys();
        const surroundings = { ...edge.surroundings, driverNumber };
        await this.executeBeside(node, known, { ...edge, surroundings });
      }
    }
    return known;
  }

  /** The process as it stands at a node: the live one, else one that is taken there again. */
  private async revive(node: TreeNode): Promise<GatedProcess> {
    const { live } = node;
    if (live) {
      node.live = undefined;
      this.live.delete(node);
      return live;
    }
    const path: TreeNode[] = [];
    for (let at: TreeNode | undefined = node; at; at = at.parent) path.unshift(at);
    const [root, ...rest] = path;
    const process = await this.launchProcess(node.task, { now: root?.startedAt ?? 0, driverNumber: 0 });
    for (const { edge } of rest) if (edge) await this.step(process, edge);
    const numbers = (calls: readonly ParkedCall[]): string =>
      calls.map(({ number, name }) => `${number}:${name}`).join();
    if (numbers(process.parked) !== numbers(node.parked))
      throw new Error('A process did not repeat itself after the same answers.');
    return process;
  }

  private async step(process: GatedProcess, edge: Edge): Promise<void> {
    this.executed += 1;
    if (edge.call === undefined) await process.fire(edge.timer ?? 0, edge.surroundings);
    else await process.answer(edge.call, this.answers.fresh(edge.answer), edge.surroundings);
  }

  private async launchProcess(task: Task, surroundings: Surroundings): Promise<GatedProcess> {
    const process = new GatedProcess(surroundings);
    await process.start((ports) => this.launch(task, surroundings.now, ports));
    return process;
  }

  private nodeOf(
    place: Pick<TreeNode, 'task' | 'startedAt' | 'parent' | 'edge' | 'last'>,
    process: GatedProcess,
  ): TreeNode {
    const node = {
      ...place,
      id: this.nodes.length,
      parked: process.parked.map(({ number, name, args, where }) => ({ number, name, args, where })),
      timers: process.timersSet,
      ending: process.ending,
      token: process.token,
      driverNumber: process.drewToken ? place.edge?.surroundings.driverNumber : place.parent?.driverNumber,
      observed: [...process.observed],
    };
    const memory = this.continuations.memory(rememberedAs(node));
    return { ...node, memory, children: new Map(), others: [], live: process.ending ? undefined : process };
  }

  private add(node: TreeNode): TreeNode {
    this.nodes.push(node);
    if (node.live) this.live.add(node);
    if (this.live.size > MAX_LIVE) {
      for (const oldest of this.live) {
        oldest.live = undefined;
        this.live.delete(oldest);
        break;
      }
    }
    return node;
  }
}

/** Which of the calls and timers of a node an edge answers. */
const placeIn = ({ parked, timers }: ProcessNode, edge: Edge): { readonly call: number; readonly timer: number } => ({
  call: parked.findIndex(({ number }) => number === edge.call),
  timer: timers.findIndex(([number]) => number === edge.timer),
});
