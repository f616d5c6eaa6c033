import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBody, encodeBody } from '../../../lib/runner/engine/action-body.ts';
import { actionIdOf, actionPath, eventIdOf, rootActionId } from '../../../lib/runner/run-ids.ts';

describe('ids of actions and events', () => {
  // SHA-256 of the parts, each as `length:text;`, in base64url: computed apart.
  it('are these, as the journals of released versions have them', () => {
    const root = rootActionId('order-1');
    expect(root).toBe('QaIr-ucwrEHIDXk_pno56s');
    expect(actionIdOf(root, 0, 'pay')).toBe('AqhVr8pQWJNibWlO3cKAlC');
    expect(eventIdOf(root, 0)).toBe('CfPlPe5n3973ljbKrecMn2');
  });

  it('have one length, also at the end of a long chain, and no character that keys separate by', () => {
    let id = rootActionId('x'.repeat(128));
    for (let depth = 0; depth < 1_000; depth += 1) id = actionIdOf(id, depth, 'a'.repeat(64));
    expect(id).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(eventIdOf(id, 0)).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('differ whenever parent, place or name do', () => {
    const part = fc.tuple(fc.constantFrom('a', 'b', '1', '1:1'), fc.nat(12), fc.constantFrom('a', '1', '1:1', '2:a'));
    fc.assert(
      fc.property(part, part, (one, two) => {
        const same = JSON.stringify(one) === JSON.stringify(two);
        expect(actionIdOf(...one) === actionIdOf(...two)).toBe(same);
      }),
    );
  });

  it('tell an event from the action that it triggers', () => {
    expect(eventIdOf('a', 1)).not.toBe(actionIdOf('a', 1, ''));
  });
});

describe('the readable path of an action', () => {
  it('names the actions that led to it', () => {
    expect(actionPath('', 'pay')).toBe('pay');
    expect(actionPath('order/pay', 'ship')).toBe('order/pay/ship');
  });

  it('keeps whole names of the last ones when it grows long', () => {
    let path = '';
    for (let link = 0; link < 1_000; link += 1) path = actionPath(path, `link-${link}`);
    expect(path).toMatch(/^…\/link-9\d\d\/.*\/link-999$/);
    expect(path.length).toBeLessThanOrEqual(201);
    expect(actionPath('a'.repeat(64), 'b'.repeat(64))).toBe(`${'a'.repeat(64)}/${'b'.repeat(64)}`);
    let longest = '';
    for (let link = 0; link < 5; link += 1) longest = actionPath(longest, String(link).repeat(64));
    expect(longest).toBe(`…/${'2'.repeat(64)}/${'3'.repeat(64)}/${'4'.repeat(64)}`);
  });
});

describe('the body of a finished action', () => {
  it('comes back as it was stored', () => {
    const body = {
      events: [
        { type: 'a.b', text: '{"x":1}' },
        { type: '_output_event', text: '{"output":null}' },
      ],
      sensory: { s: '1', gone: null },
      shortTerm: { constructor: '"x"' },
    };
    expect(decodeBody(encodeBody(body))).toEqual(body);
  });

  it('is small when there is nothing in it', () => {
    const nothing = { events: [], sensory: {}, shortTerm: {} };
    expect(encodeBody(nothing)).toBe('{}');
    expect(decodeBody('{}')).toEqual(nothing);
  });
});
