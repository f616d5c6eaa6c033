import type { Item, PartitionQuery } from '../../../lib/ports/item-store.ts';
import type { Answer, ParkedCall } from './gated-process.ts';
import type { Interner } from './interner.ts';
import type { ProcessNode } from './process-tree.ts';

/**
 * What a process can still know, as text: what it waits for, what its program saw, and of each call that it made the first and the last answer.
 * The functions read anew in each round of a loop and go on from what they read then; what a run was when they began they keep.
 */
export function rememberedAs(node: ProcessNode, answers: Interner<Answer>): string {
  const made = new Map<string, { first: number; last: number }>();
  for (let at: ProcessNode | undefined = node; at; at = at.parent) {
    if (at.last === undefined) continue;
    const name = callName(at.last.call);
    const answer = answers.id(at.last.answer);
    const known = made.get(name);
    if (known) known.first = answer;
    else made.set(name, { first: answer, last: answer });
  }
  const calls = Array.from(made, ([name, { first, last }]) => `${name} ${first} ${last}`).sort();
  const parked = node.parked.map(({ name, args }) => [name, args]);
  const timers = node.timers.map(([, dueAt]) => dueAt);
  return JSON.stringify([node.task, node.startedAt, node.token, parked, timers, node.ending, node.observed, calls]);
}

/** Store calls by what they are about, sends by what they send. */
function callName({ name, args }: ParkedCall): string {
  if (!name.startsWith('items.')) return `${name} ${JSON.stringify(args)}`;
  const { pk, sk, prefix } = args[0] as Partial<Item & PartitionQuery>;
  return `${name} ${pk} ${sk ?? prefix ?? ''}`;
}
