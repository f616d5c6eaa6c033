import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readStackAssembly } from '../../../lib/local/stack-assembly.ts';

const FIXTURE = resolve(import.meta.dirname, '../../fixtures/local-assembly');

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assembly-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function writeStacks(...names: readonly string[]): Promise<void> {
  const stack = (name: string) => ({
    type: 'aws:cloudformation:stack',
    properties: { templateFile: `${name}.template.json` },
  });
  const artifacts = Object.fromEntries(names.map((name) => [name, stack(name)]));
  await writeFile(join(directory, 'manifest.json'), JSON.stringify({ artifacts }));
  for (const name of names) await writeFile(join(directory, `${name}.template.json`), '{"Resources":{}}');
}

it('reads the template and finds bundles by their upload key', async () => {
  const { stackName, template, assetDirectories } = await readStackAssembly(FIXTURE);
  expect(stackName).toBe('Probe');
  expect(Object.keys(template.Resources)).toContain('ProbeFunction');
  expect([...assetDirectories]).toEqual([['probe.zip', join(FIXTURE, 'asset.probe')]]);
});

it('takes the named one of several stacks', async () => {
  await writeStacks('Agents', 'Network');
  expect(await readStackAssembly(directory, 'Agents')).toMatchObject({ stackName: 'Agents' });
});

it('names the stacks when it cannot choose', async () => {
  await writeStacks('Agents', 'Network');
  await expect(readStackAssembly(directory)).rejects.toThrow(/Agents, Network.*stackName/);
  await expect(readStackAssembly(directory, 'Other')).rejects.toThrow(/Agents, Network/);
});

it('says what to do when nothing was synthesized', async () => {
  await expect(readStackAssembly(directory)).rejects.toThrow(/manifest\.json cannot be read\. Run "cdk synth"/);
});
