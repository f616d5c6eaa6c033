import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ActionMemory, CommittedMemory, type MemoryContents } from '../../../lib/runner/engine/run-memory.ts';

const begins = (contents: MemoryContents) => {
  const loads = { count: 0 };
  const memory = new CommittedMemory(async () => {
    loads.count += 1;
    return contents;
  });
  return { memory, loads };
};

const actionOf = (committed: CommittedMemory, view: number, refused?: string) =>
  new ActionMemory({
    committed,
    view,
    guard: (method) => {
      if (refused !== undefined) throw new Error(`${method}: ${refused}`);
    },
    busy: (work) => work,
  });

describe('committed memory', () => {
  it('shows an action what was committed when it began, whatever finished since', async () => {
    const { memory } = begins({ a: '0' });
    memory.commit({ a: '1' }, 1, false);
    memory.commit({ a: '3' }, 3, false);
    memory.commit({ a: null }, 4, false);
    const seen = await Promise.all([0, 1, 2, 3, 4, 9].map((view) => memory.read('a', view)));
    expect(seen).toEqual(['0', '1', '1', '3', null, null]);
  });

  it('loads what was there before at the first read, once, and not for fields that it has', async () => {
    const { memory, loads } = begins({ b: '2' });
    memory.commit({ a: '1' }, 1, false);
    await memory.read('a', 1);
    expect(loads.count).toBe(0);
    await Promise.all([memory.read('b', 1), memory.read('c', 1), memory.read('a', 0)]);
    expect(loads.count).toBe(1);
  });

  it('keeps the last write of each field for the key, but not what an earlier life has put there', () => {
    const { memory } = begins({});
    memory.commit({ a: '1', b: '1', c: '1' }, 1, true);
    memory.commit({ b: '2' }, 2, false);
    memory.commit({ b: '3', d: null }, 3, false);
    expect([...memory.changes()]).toEqual([
      ['b', '3'],
      ['d', null],
    ]);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty'])('has no field "%s" by nature', async (field) => {
    expect(await begins({}).memory.read(field, 0)).toBeNull();
  });
});

describe('the memory of an action', () => {
  it('shows its own writes before those of others, and commits none of them itself', async () => {
    const { memory } = begins({ a: '1' });
    const action = actionOf(memory, 0);
    action.set('a', 2);
    action.set('b', { deep: [1] });
    expect(await action.get('a')).toBe(2);
    expect(await actionOf(memory, 0).get('a')).toBe(1);
    expect(action.writes()).toEqual({ a: '2', b: '{"deep":[1]}' });
  });

  it('tells a cleared field from one that holds null', async () => {
    const action = actionOf(begins({ a: '1', n: 'null' }).memory, 0);
    action.set('a', undefined);
    expect([await action.has('a'), await action.get('a')]).toEqual([false, undefined]);
    expect([await action.has('n'), await action.get('n')]).toEqual([true, null]);
    expect([await action.has('none'), await action.get('none')]).toEqual([false, undefined]);
    expect(action.writes()).toEqual({ a: null });
  });

  it('gives copies', async () => {
    const action = actionOf(begins({}).memory, 0);
    const list = [1];
    action.set('list', list);
    list.push(2);
    (await action.get('list', z.array(z.number())))?.push(3);
    expect(await action.get('list')).toEqual([1]);
  });

  it('parses what it reads, and names the field that does not fit', async () => {
    const action = actionOf(begins({ n: '"text"' }).memory, 0);
    expect(await action.get('n', z.string())).toBe('text');
    expect(await action.get('none', z.number())).toBeUndefined();
    await expect(action.get('n', z.number())).rejects.toMatchObject({
      name: 'TerminalAgentError',
      message: expect.stringMatching(/^Memory field "n" does not fit the schema/),
    });
  });

  it.each([
    ['an empty name', '', 'is empty'],
    ['a name of 129 bytes', 'x'.repeat(129), 'has 129 bytes'],
    ['half a surrogate pair', '\ud800', 'half a surrogate pair'],
    ['__proto__', '__proto__', 'cannot be named "__proto__"'],
  ])('refuses %s', (_what, field, message) => {
    const action = actionOf(begins({}).memory, 0);
    expect(() => action.set(field, 1)).toThrow(message);
    expect(action.writes()).toEqual({});
  });

  it('refuses a value above 64 KB and one without a stored form, naming the field', () => {
    const action = actionOf(begins({}).memory, 0);
    action.set('a', 'x'.repeat(65_534));
    expect(() => action.set('a', 'x'.repeat(65_535))).toThrow(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }));
    expect(() => action.set('a', () => 1)).toThrow(/^memory field "a" is a function/);
    expect(() => action.set('a', { deep: new Error('x') })).toThrow(/^memory field "a"\.deep is an instance of Error/);
    expect(action.writes().a).toHaveLength(65_536);
  });

  it('does nothing where memory must not be used', async () => {
    const action = actionOf(begins({ a: '1' }).memory, 0, 'not here');
    await expect(action.get('a')).rejects.toThrow('memory.get: not here');
    await expect(action.has('a')).rejects.toThrow('memory.has: not here');
    expect(() => action.set('a', 1)).toThrow('memory.set: not here');
  });
});
