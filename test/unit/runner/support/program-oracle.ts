import { actionIdOf, rootActionId } from '../../../../lib/runner/run-ids.ts';
import { actionName, type MemoryName, mix, type Program, resultOf, SIGNAL, type Step } from './programs.ts';

type Fields = ReadonlyMap<string, number>;
type Memory = Readonly<Record<MemoryName, Fields>>;

/** An action of the tree that a program grows. */
interface Node {
  readonly id: string;
  readonly index: number;
  readonly number: number;
  /** Finished actions before it began. */
  readonly view: number;
}

export interface Expectation {
  readonly outputs: readonly number[];
  /** The key's memory after the run. */
  readonly shortTerm: Fields;
  /** Actions in the order of their starts, with what had finished before each. */
  readonly starts: readonly { readonly id: string; readonly index: number; readonly view: number }[];
}

/**
 * What a program does to a run, carried out plainly: no journal, no promises, nothing at the same time.
 * @param finishes ids of the actions in the order in which they finished; not given: they finish as they started
 */
export function expectedOf(
  program: Program,
  run: { readonly runId: string; readonly input: number; readonly shortTerm: Fields },
  finishes?: readonly string[],
): Expectation {
  const root = rootActionId(run.runId);
  const starts: Node[] = [{ id: actionIdOf(root, 0, actionName(0)), index: 0, number: run.input, view: 0 }];
  const states: Memory[] = [{ sensory: new Map(), shortTerm: run.shortTerm }];
  const outputs: number[] = [];
  for (let finished = 0; finished < starts.length; finished += 1) {
    const node = finishes === undefined ? starts[finished] : starts.find(({ id }) => id === finishes[finished]);
    if (node === undefined) throw new Error(`Action ${finishes?.[finished]} finished without having been sent to.`);
    const seen = states[node.view] as Memory;
    const { sent, writes } = carryOut(program[node.index] ?? [], node.number, seen);
    const last = states.at(-1) as Memory;
    states.push({ sensory: apply(last.sensory, writes.sensory), shortTerm: apply(last.shortTerm, writes.shortTerm) });
    sent.forEach(({ to, number }, emission) => {
      if (to === undefined) outputs.push(number);
      else starts.push({ id: actionIdOf(node.id, emission, actionName(to)), index: to, number, view: finished + 1 });
    });
  }
  return { outputs, shortTerm: (states.at(-1) as Memory).shortTerm, starts };
}

type Writes = Readonly<Record<MemoryName, Map<string, number | undefined>>>;

function carryOut(steps: readonly Step[], start: number, seen: Memory) {
  const sent: { readonly to: number | undefined; readonly number: number }[] = [];
  const writes: Writes = { sensory: new Map(), shortTerm: new Map() };
  let number = start;
  for (const step of steps) {
    switch (step.kind) {
      case 'call':
        number = mix(number, resultOf(step.id, number));
        break;
      case 'failing-call':
        number = mix(number, number);
        break;
      case 'calls':
        number = step.ids.map((id) => resultOf(id, number)).reduce(mix, number);
        break;
      case 'get': {
        const own = writes[step.memory];
        number = mix(number, (own.has(step.field) ? own.get(step.field) : seen[step.memory].get(step.field)) ?? -1);
        break;
      }
      case 'set':
        writes[step.memory].set(step.field, number);
        break;
      case 'clear':
        writes[step.memory].set(step.field, undefined);
        break;
      case 'send':
        sent.push({ to: step.to, number });
        number = mix(number, 1);
        break;
      case 'output':
        sent.push({ to: undefined, number });
        number = mix(number, 2);
        break;
      case 'sleep':
        number = mix(number, 3);
        break;
      case 'timeout':
        number = mix(number, 4);
        break;
      case 'signal':
        number = mix(number, SIGNAL.value);
        break;
      case 'both':
      case 'race':
        number = mix(number, resultOf(step.id, number));
        break;
      case 'stumble':
        break;
    }
  }
  return { sent, writes };
}

function apply(fields: Fields, writes: ReadonlyMap<string, number | undefined>): Fields {
  const after = new Map(fields);
  for (const [field, number] of writes) {
    if (number === undefined) after.delete(field);
    else after.set(field, number);
  }
  return after;
}
