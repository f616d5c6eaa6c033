import type { Item, ItemChange, PartitionQuery, WriteResult } from '../../../lib/ports/item-store.ts';
import { runKey } from '../../../lib/store/keys.ts';
import type { Answer, ParkedCall } from './gated-process.ts';
import type { ProcessNode } from './process-tree.ts';

/**
 * What a process can still know, as text: where its code stands, and what it may yet use of the answers that it has had.
 * - Facts (records of the journal, effects): until the end of the run has put out what they say and turns to the key (E6).
 * - The own run: as read first until the claim answers with it (D3), then until the end reads it anew (E1), then until its last write (E7).
 * - The key: while `KeyOrder` is at work, in the present round of its loops, each of which begins with HEAD; after it only the turn.
 * What is used as soon as it is known, shows in the calls that follow: whether another run is PARKED, whether a mark was written.
 */
export function rememberedAs(node: ProcessNode): string {
  const { task, startedAt, token, parked, timers, observed, ending } = node;
  if (ending)
    return JSON.stringify([task, ending.kind, failures(ending.kind === 'returned' && ending.value), observed]);
  const memory = new Memory(node);
  const history: NonNullable<ProcessNode['last']>[] = [];
  for (let at: ProcessNode | undefined = node; at; at = at.parent) if (at.last) history.push(at.last);
  for (const { call, answer } of history.reverse()) memory.take(call, answer);
  const [next] = parked;
  if (next) memory.prepareFor(next);
  const calls = parked.map(({ name, args, where }) => [name, args, where]);
  return JSON.stringify([task, startedAt, token, calls, timers.map(([, dueAt]) => dueAt), observed, memory.text()]);
}

class Memory {
  private readonly facts = new Map<string, unknown>();
  private run: unknown[] = [];
  /** The outcome that it has fixed itself: then it knows the results, and need not read them from the journal. */
  private fixed: unknown;
  /** Of the key. */
  private readonly round = new Map<string, unknown>();
  private hasParked = false;
  private hasFenced = false;
  private turn: unknown;
  /** Messages that were sent: whoever checks the end of a run asks for them. */
  private readonly sent: unknown[] = [];
  private readonly accepting: boolean;
  private ownPk: string | undefined;
  /** How far the drive of a run has come. */
  private phase: 'new' | 'seen' | 'claimed' | 'ending' = 'new';

  constructor({ task }: ProcessNode) {
    this.accepting = task.kind === 'accept';
    this.ownPk = task.kind === 'drive' ? runKey(task.runId).pk : undefined;
  }

  take(call: ParkedCall, answer: Answer): void {
    this.prepareFor(call);
    const place = placeOf(call);
    const value = answer.kind === 'value' ? answer.value : answer;
    if (place.name === 'outputs.send') this.sent.push(call.args);
    else if (place.name === 'wakes.send') return;
    else if (place.inKeyOrder) this.takeOfKey(call, place, value);
    else if (this.isOwn(place)) this.takeOfRun(call, place, value);
    else if (place.sk !== 'HEAD') this.facts.set(JSON.stringify([place.name, call.args]), withoutRun(value));
  }

  /** Forgets what the code drops before it makes this call. */
  prepareFor(call: ParkedCall): void {
    const place = placeOf(call);
    if (!place.inKeyOrder) {
      this.round.clear();
      this.hasParked = false;
      this.hasFenced = false;
    } else if (place.sk === 'HEAD' && place.name === 'items.get') this.round.clear();
    if (this.accepting) {
      if (place.sk === 'RUN' && place.name === 'items.put') this.ownPk = place.pk;
    } else if (this.isOwn(place) && place.name === 'items.get' && this.phase !== 'new') {
      this.phase = 'ending';
      this.run = [];
      this.turn = undefined;
    } else if (this.phase === 'ending' && (place.inKeyOrder || this.isOwn(place))) {
      this.facts.clear();
      this.fixed = undefined;
      if (this.isOwn(place)) this.run = [];
    }
  }

  text(): unknown {
    const { facts, run, round, hasParked, hasFenced, turn, sent, fixed } = this;
    return [[...facts], run, [...round], hasParked, hasFenced, turn, sent, fixed];
  }

  private takeOfKey(call: ParkedCall, { name, sk }: Place, value: unknown): void {
    if (sk.startsWith('INBOX#')) {
      if (name === 'items.query') this.round.set(this.round.has('first') ? 'next' : 'first', value);
      if (name === 'items.put') this.hasParked = true;
    }
    if (sk !== 'HEAD') return;
    if (name === 'items.get') {
      this.round.set('head', value);
      this.turn = (value as Item | undefined)?.tn;
      return;
    }
    const { kind } = value as WriteResult;
    const change = call.args[1] as ItemChange;
    this.round.set('written', [change, kind]);
    if (kind === 'written' && change.set?.ac !== undefined) this.turn = change.set.tn;
    if (kind === 'written' && change.set?.ac === undefined && change.remove === undefined) this.hasFenced = true;
  }

  private takeOfRun(call: ParkedCall, { name }: Place, value: unknown): void {
    if (this.accepting) {
      this.run = [lasting((value as WriteResult).item)];
    } else if (this.phase === 'ending') {
      this.run = [lasting(value as Item | undefined)];
    } else if (this.phase === 'new') {
      this.phase = 'seen';
      this.run = [value];
    } else {
      if (this.phase === 'seen') this.run = [(this.run[0] as Item | undefined)?.wk];
      this.phase = 'claimed';
      this.turn = undefined;
      this.run.push([name, value]);
      const { set = {} } = call.args[1] as ItemChange;
      this.fixed = [set.oc, (value as WriteResult).kind];
    }
  }

  private isOwn({ pk, sk, inKeyOrder }: Place): boolean {
    return pk === this.ownPk && sk === 'RUN' && !inKeyOrder;
  }
}

interface Place {
  readonly name: string;
  readonly pk: string;
  readonly sk: string;
  readonly inKeyOrder: boolean;
}

function placeOf({ name, args, where }: ParkedCall): Place {
  const inKeyOrder = where.includes('key-order.ts');
  if (!name.startsWith('items.')) return { name, pk: '', sk: '', inKeyOrder };
  const { pk = '', sk, prefix } = args[0] as Partial<Item & PartitionQuery>;
  return { name, pk, sk: sk ?? prefix ?? '', inKeyOrder };
}

/** Attributes of a run that others change, or that only its driver uses. */
const PASSING: ReadonlySet<string> = new Set(['du', 'gs', 'wk', 'ws', 'lu', 'ow', 'at', 'fc']);

/** What the beginning and the end of a run use of its record. */
const lasting = (item: Item = { pk: '', sk: '' }): unknown =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !PASSING.has(name)));

/** The records of a journal that was read as a whole. */
const withoutRun = (value: unknown): unknown =>
  Array.isArray(value) ? (value as readonly Item[]).filter(({ sk }) => sk !== 'RUN') : value;

/** What of the answer of a function reaches its queue. */
const failures = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'failures' in value ? value.failures : undefined;
