import { expect, it } from 'vitest';
import { readableName } from '../../../lib/local/physical-names.ts';

it.each([
  ['Agents/RunAgent/Handler/Function/Resource', 'run-agent'],
  ['Agents/Sweep/Resource', 'sweep'],
  ['Agents/Handler/Resource', 'handler'],
  ['Agents/Custom::AutoDelete2Provider/Handler', 'custom-auto-delete2-provider'],
  ['Agents', 'Logical1'],
  [undefined, 'Logical1'],
])('names the function at %s', (path, name) => {
  expect(readableName('Logical1', { 'aws:cdk:path': path })).toBe(name);
});
