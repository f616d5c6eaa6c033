import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPTS = resolve(import.meta.dirname, '../../../scripts');
const LAUNCHER = ['start.mjs', 'install.mjs'];
const LOCK = {
  packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0', optional: true } },
};

let project = '';
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'launcher-'));
  await mkdir(join(project, 'scripts'));
  for (const file of LAUNCHER) await copyFile(join(SCRIPTS, file), join(project, 'scripts', file));
  await writeFile(join(project, 'package-lock.json'), JSON.stringify(LOCK));
});
afterEach(() => rm(project, { recursive: true }));

/** Installs a Node.js that tells how it was called, as `npm ci` would. */
async function install(version = '1.0.0'): Promise<void> {
  const bin = join(project, 'node_modules/node/bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'node'), '#!/bin/sh\necho "started with $*"\nexit 7\n');
  await chmod(join(bin, 'node'), 0o755);
  const installed = { packages: { 'node_modules/a': { version } } };
  await writeFile(join(project, 'node_modules/.package-lock.json'), JSON.stringify(installed));
}

/** Runs the launcher with an npm that is this script. */
async function launch(npm: string, ...parameters: readonly string[]) {
  await writeFile(join(project, 'npm.js'), npm);
  const environment = { ...process.env, npm_execpath: join(project, 'npm.js') };
  return spawnSync(process.execPath, [join(project, 'scripts/start.mjs'), ...parameters], {
    encoding: 'utf8',
    env: environment,
  });
}

const NO_NPM = 'process.exit(99)';

it('hands its parameters over and takes the exit status, without an install when nothing is missing', async () => {
  await install();
  const { stdout, status } = await launch(NO_NPM, '--once', '--diff', 'a b.diff');
  expect(stdout).toBe(`started with ${join(project, 'scripts/start.ts')} --once --diff a b.diff\n`);
  expect(status).toBe(7);
});

it('installs a fresh clone', async () => {
  const npm = `
    const fs = require('node:fs');
    fs.writeFileSync('called.json', JSON.stringify(process.argv.slice(2)));
    fs.mkdirSync('node_modules/node/bin', { recursive: true });
    fs.writeFileSync('node_modules/node/bin/node', '#!/bin/sh\\nexit 0\\n', { mode: 0o755 });`;
  const { stdout, status } = await launch(npm);
  expect(JSON.parse(await readFile(join(project, 'called.json'), 'utf8'))).toEqual(['ci', '--no-audit', '--no-fund']);
  expect(stdout).toMatch(/^Installing dependencies \(npm ci\) \.\.\.\nInstalled in [\d.]+ s\.\n$/);
  expect(status).toBe(0);
});

it('installs again when the lock file asks for other versions', async () => {
  await install('0.9.0');
  const { stdout, status } = await launch('');
  expect(stdout).toContain('Installing dependencies');
  expect(status).toBe(7);
});

it('shows why an install failed', async () => {
  const { stderr, status } = await launch(`console.error('the registry is gone'); process.exit(4)`);
  expect(stderr).toMatch(/npm ci failed \(exit status 4\)[\s\S]*the registry is gone/);
  expect(status).toBe(1);
});
