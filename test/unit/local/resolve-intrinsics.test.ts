import { describe, expect, it } from 'vitest';
import { type ReferenceTargets, resolveIntrinsics } from '../../../lib/local/resolve-intrinsics.ts';

const targets: ReferenceTargets = {
  ref: (name) => ({ Queue: 'http://queue', 'AWS::Region': 'us-east-1' })[name],
  attribute: (logicalId, name) => (logicalId === 'Queue' && name === 'Arn' ? 'arn:queue' : undefined),
};
const resolve = (value: unknown): unknown => resolveIntrinsics(value, targets);

describe('resolveIntrinsics', () => {
  it.each<[string, unknown, unknown]>([
    ['leaves plain values', { a: [1, true, null, 'x'] }, { a: [1, true, null, 'x'] }],
    ['Ref', { Ref: 'Queue' }, 'http://queue'],
    ['GetAtt as a list', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:queue'],
    ['GetAtt as a text', { 'Fn::GetAtt': 'Queue.Arn' }, 'arn:queue'],
    ['Join', { 'Fn::Join': ['/', ['a', { Ref: 'AWS::Region' }, 3]] }, 'a/us-east-1/3'],
    ['Select and Split', { 'Fn::Select': [1, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Queue', 'Arn'] }] }] }, 'queue'],
    [
      'Sub',
      { 'Fn::Sub': `\${Queue} \${Queue.Arn} \${!kept} in \${AWS::Region}` },
      `http://queue arn:queue \${kept} in us-east-1`,
    ],
    [
      'Sub with variables',
      { 'Fn::Sub': [`\${name}-\${AWS::Region}`, { name: { Ref: 'Queue' } }] },
      'http://queue-us-east-1',
    ],
    ['nested values', { list: [{ deep: { Ref: 'Queue' } }] }, { list: [{ deep: 'http://queue' }] }],
    ['NoValue', { a: { Ref: 'AWS::NoValue' }, b: [1, { Ref: 'AWS::NoValue' }] }, { b: [1] }],
    ['an object that only looks alike', { Ref: 'Queue', other: 1 }, { Ref: 'Queue', other: 1 }],
  ])('resolves %s', (_name, value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it.each<[unknown, RegExp]>([
    [{ Ref: 'Missing' }, /Missing/],
    [{ 'Fn::GetAtt': ['Queue', 'StreamArn'] }, /Queue\.StreamArn/],
    [{ 'Fn::ImportValue': 'Other' }, /Fn::ImportValue/],
    [{ 'Fn::Sub': `\${Missing}` }, /Missing/],
  ])('names what it cannot resolve: %j', (value, message) => {
    expect(() => resolve(value)).toThrow(message);
  });
});
