import { describe, expect, it } from 'vitest';
import { Continuations } from './engine/continuations.ts';

describe('Continuations', () => {
  it('takes processes with one memory that go on alike', () => {
    const continuations = new Continuations();
    const [from, memory] = [continuations.memory('parks'), continuations.memory('has parked')];
    const continuation = { from, answer: 'written', drawn: undefined, memory };
    continuations.check(continuation);
    expect(() => continuations.check(continuation)).not.toThrow();
    expect(() => continuations.check({ ...continuation, answer: 'refused', memory: from })).not.toThrow();
  });

  it('refuses two memories after one memory and answer, and names them', () => {
    const continuations = new Continuations();
    const from = continuations.memory('parks');
    const [one, other] = [continuations.memory('has parked'), continuations.memory('has ended')];
    continuations.check({ from, answer: 'written', drawn: undefined, memory: one });
    expect(() => continuations.check({ from, answer: 'written', drawn: undefined, memory: other })).toThrow(
      /parks\nhas parked\nhas ended$/,
    );
  });

  it('compares drivers that drew a token by the number in it', () => {
    const continuations = new Continuations();
    const from = continuations.memory('claims');
    const [first, second] = [continuations.memory('driver 0'), continuations.memory('driver 1')];
    continuations.check({ from, answer: 'seen', drawn: 0, memory: first });
    expect(() => continuations.check({ from, answer: 'seen', drawn: 1, memory: second })).not.toThrow();
    expect(() => continuations.check({ from, answer: 'seen', drawn: undefined, memory: first })).toThrow(/differently/);
  });
});
