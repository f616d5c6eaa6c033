import { Interner } from './interner.ts';

/** An answer to a process, and where it has come with it. */
export interface Continuation {
  /** Memory before it. */
  readonly from: number;
  /** The answer, equal for equal answers to the same call. */
  readonly answer: string;
  /** The number in the driver token, if one was drawn. */
  readonly drawn: number | undefined;
  readonly memory: number;
}

/** Holds merging to its promise: processes with the same memory go on alike, whatever they were told before. */
export class Continuations {
  private readonly memories = new Interner<string>();
  /** Whether a token is drawn, by memory and answer. */
  private readonly draws = new Map<string, boolean>();
  private readonly successors = new Map<string, number>();

  /** The number of a memory. */
  memory(text: string): number {
    return this.memories.id(text);
  }

  /** @throws Error when another process with the same memory went on differently after the same answer */
  check({ from, answer, drawn, memory }: Continuation): void {
    const name = `${from} ${answer}`;
    const draws = this.draws.get(name) ?? drawn !== undefined;
    this.draws.set(name, draws);
    const withToken = `${name} ${drawn ?? ''}`;
    const expected = this.successors.get(withToken) ?? memory;
    this.successors.set(withToken, expected);
    if (draws === (drawn !== undefined) && expected === memory) return;
    const texts = [from, expected, memory].map((number) => this.memories.value(number));
    throw new Error(`Processes that remembered the same went on differently.\n${texts.join('\n')}`);
  }
}
