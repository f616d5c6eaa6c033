import type { Item, ItemChange, PartitionQuery, WriteResult } from '../../../lib/ports/item-store.ts';
import { runKey } from '../../../lib/store/keys.ts';
import type { Answer, ParkedCall } from './gated-process.ts';
import type { Interner } from './interner.ts';
import type { ProcessNode } from './process-tree.ts';

/**
 * What a process can still know, as text. Three kinds of answers are told apart:
 * facts (records of the journal, effects, what was sent) are kept for good;
 * what is known of the run itself is kept until the end of the run reads it anew (E1), which hands on nothing but facts;
 * what was seen of the key is kept until the loop that looked at it (`KeyOrder.take`, `KeyOrder.release`) begins its next round with HEAD, or is left (E7). `ProcessTree` checks samples of it.
 */
export function rememberedAs(node: ProcessNode, answers: Interner<Answer>): string {
  if (node.ending) return JSON.stringify([node.task, node.ending, node.observed]);
  const memory = new Memory(node);
  const history: NonNullable<ProcessNode['last']>[] = [];
  for (let at: ProcessNode | undefined = node; at; at = at.parent) if (at.last) history.push(at.last);
  for (const { call, answer } of history.reverse()) memory.take(call, answer, answers.id(answer));
  const [next] = node.parked;
  if (next) memory.prepareFor(next);
  const parked = node.parked.map(({ name, args }) => [name, args]);
  const timers = node.timers.map(([, dueAt]) => dueAt);
  return JSON.stringify([
    node.task,
    node.startedAt,
    node.token,
    parked,
    timers,
    node.ending,
    node.observed,
    memory.text(),
  ]);
}

class Memory {
  private readonly facts = new Map<string, number>();
  private readonly ofRun = new Map<string, number>();
  private readonly ofKey: (readonly [string, number])[] = [];
  private ownPk: string | undefined;
  private readonly accepting: boolean;
  private previous: Place | undefined;
  private ending = false;
  /** In the end HEAD was read before: for the memory of the key, or in an earlier round. */
  private headSeen = false;
  private fenced = false;
  private parkedOnce = false;

  constructor({ task }: ProcessNode) {
    this.accepting = task.kind === 'accept';
    this.ownPk = task.kind === 'drive' ? runKey(task.runId).pk : undefined;
  }

  take(call: ParkedCall, given: Answer, answer: number): void {
    const place = placeOf(call);
    if (place.name === 'wakes.send') return;
    this.prepareFor(call);
    if (this.beginsEnd(place)) this.ending = true;
    if (this.beginsEnd(place) || this.beginsRequest(place)) {
      this.ofRun.clear();
      this.ofKey.length = 0;
    }
    if (this.beginsRequest(place)) {
      this.ownPk = place.pk;
      this.parkedOnce = false;
    }
    if (this.ending && place.sk === 'HEAD' && place.name === 'items.get') this.headSeen = true;
    if (isFence(call, place) && isWritten(given)) this.fenced = true;
    const name = `${place.name} ${place.pk} ${place.sk}`;
    if (place.pk === '' || isFact(place)) this.facts.set(`${name} ${JSON.stringify(call.args)}`, answer);
    else if (place.sk.startsWith('INBOX#') && place.name === 'items.put') this.parkedOnce = true;
    else if (this.isOfRun(place)) this.ofRun.set(name + this.ofRun.size, answer);
    else this.ofKey.push([name, answer]);
    this.previous = place;
  }

  /** Forgets what the code drops before it makes this call. */
  prepareFor(call: ParkedCall): void {
    const place = placeOf(call);
    if (place.sk === 'HEAD' && place.name === 'items.get') this.ofKey.length = 0;
    if (this.ending && this.isOwn(place) && place.name === 'items.update') this.ofKey.length = 0;
  }

  text(): unknown {
    return [
      Array.from(this.facts),
      Array.from(this.ofRun),
      this.ofKey,
      this.ending,
      this.headSeen,
      this.fenced,
      this.parkedOnce,
    ];
  }

  /** E1: the own run is read, neither at the start nor while its place in the inbox is looked at. */
  private beginsEnd(place: Place): boolean {
    return (
      !this.accepting &&
      this.isOwn(place) &&
      place.name === 'items.get' &&
      this.previous !== undefined &&
      this.previous.name !== 'items.query'
    );
  }

  /** A2: the next message of a batch. */
  private beginsRequest({ name, sk }: Place): boolean {
    return this.accepting && name === 'items.put' && sk === 'RUN';
  }

  private isOwn({ pk, sk }: Place): boolean {
    return pk === this.ownPk && sk === 'RUN';
  }

  private isOfRun(place: Place): boolean {
    if (place.sk.startsWith('MEM#')) return true;
    // Cancel and redrive have no loops.
    if (this.ownPk === undefined) return true;
    return this.isOwn(place) && (place.name !== 'items.get' || this.previous === undefined || this.beginsEnd(place));
  }
}

interface Place {
  readonly name: string;
  readonly pk: string;
  readonly sk: string;
}

function placeOf({ name, args }: ParkedCall): Place {
  if (!name.startsWith('items.')) return { name, pk: '', sk: '' };
  const { pk = '', sk, prefix } = args[0] as Partial<Item & PartitionQuery>;
  return { name, pk, sk: sk ?? prefix ?? '' };
}

/** K5 writes HEAD without giving or freeing the key. */
function isFence({ args }: ParkedCall, { name, sk }: Place): boolean {
  if (name !== 'items.update' || sk !== 'HEAD') return false;
  const { set = {}, remove = [] } = args[1] as ItemChange;
  return set.ac === undefined && remove.length === 0;
}

const isWritten = (answer: Answer): boolean =>
  answer.kind === 'value' && (answer.value as WriteResult | undefined)?.kind === 'written';

/** The journal as a whole, or a record in it. */
const isFact = ({ pk, sk }: Place): boolean => pk.startsWith('RUN#') && sk !== 'RUN';
