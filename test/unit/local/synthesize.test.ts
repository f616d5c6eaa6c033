import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { synthesize } from '../../../lib/local/synthesize.ts';

let project = '';
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'synthesize-'));
  await mkdir(join(project, 'node_modules/aws-cdk/bin'), { recursive: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(project, { recursive: true });
});

/** A project whose CDK is this script. */
async function withCdk(script: string) {
  await writeFile(join(project, 'node_modules/aws-cdk/bin/cdk'), script);
  return { projectDirectory: project, outputDirectory: join(project, 'out') };
}

it('runs the project’s own CDK, quietly and without credentials', async () => {
  vi.stubEnv('AWS_PROFILE', 'somebody');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'secret');
  const options = await withCdk(
    `require('node:fs').writeFileSync('seen.json', JSON.stringify({ parameters: process.argv.slice(2), env: process.env }))`,
  );
  await synthesize({ ...options, context: { removable: 'true' } });
  const { parameters, env } = JSON.parse(await readFile(join(project, 'seen.json'), 'utf8'));
  expect(parameters).toEqual([
    'synth',
    '--quiet',
    '--no-notices',
    '--no-version-reporting',
    '--output',
    join(project, 'out'),
    '--context',
    'removable=true',
  ]);
  expect(env).not.toHaveProperty('AWS_PROFILE');
  expect(env).not.toHaveProperty('AWS_ACCESS_KEY_ID');
  expect(env.PATH.split(':')[0]).toBe(join(project, 'node_modules/.bin'));
});

it('empties the output directory first', async () => {
  const options = await withCdk('');
  await mkdir(join(options.outputDirectory, 'asset.old'), { recursive: true });
  await synthesize(options);
  await expect(readFile(join(options.outputDirectory, 'asset.old'))).rejects.toThrow(/ENOENT/);
});

it('shows what the CDK said when it fails', async () => {
  const options = await withCdk(`console.error('Agent "a" is declared twice.'); process.exit(3)`);
  await expect(synthesize(options)).rejects.toThrow(/failed \(exit code 3\)[\s\S]*Agent "a" is declared twice\./);
});

it('gives up after its time and leaves no process behind', async () => {
  // The child of the CDK is what must not survive: it holds the app.
  const options = await withCdk(`
    const { spawn } = require('node:child_process');
    const app = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    require('node:fs').writeFileSync('pids.json', JSON.stringify([process.pid, app.pid]));
    setInterval(() => {}, 1000)`);
  await expect(synthesize({ ...options, timeoutMillis: 1_000 })).rejects.toThrow(/no answer within 1 s/);
  const pids: readonly number[] = JSON.parse(await readFile(join(project, 'pids.json'), 'utf8'));
  const alive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await vi.waitFor(() => expect(pids.map(alive)).toEqual([false, false]), { timeout: 10_000 });
});
