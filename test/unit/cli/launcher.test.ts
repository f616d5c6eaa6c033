import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PROJECT = resolve(import.meta.dirname, '../../..');
const LAUNCHER = join(PROJECT, 'bin/lambda-agents.mjs');

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'launcher-'));
});
afterEach(() => rm(directory, { recursive: true }));

describe('the launcher', () => {
  let launcher = '';
  beforeEach(async () => {
    await mkdir(join(directory, 'bin'));
    launcher = join(directory, 'bin/lambda-agents.mjs');
    await copyFile(LAUNCHER, launcher);
  });

  /** Installs a Node.js that is this script. */
  async function install(script: string): Promise<void> {
    const bin = join(directory, 'node_modules/node/bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'node'), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, 'node'), 0o755);
  }

  const launch = (...args: readonly string[]) =>
    spawnSync(process.execPath, [launcher, ...args], { encoding: 'utf8', input: 'typed' });

  it('hands arguments and input over to the pinned Node.js and takes its exit status', async () => {
    await install('echo "$*"; cat; exit 3');
    const { stdout, status } = launch('result', 'a b', '--wait');
    expect(stdout).toBe(`${join(directory, 'lib/cli/main.ts')} result a b --wait\ntyped`);
    expect(status).toBe(3);
  });

  it('ends as the command did that a signal ended', async () => {
    await install('kill -TERM $$');
    expect(launch().status).toBe(143);
  });

  it('says what to do before the dependencies are installed', () => {
    const { stderr, status } = launch('runs');
    expect(stderr).toBe(`The dependencies are not installed. Run npm ci in ${directory}.\n`);
    expect(status).toBe(69);
  });
});

describe('the program', () => {
  const run = (command: string) => {
    const { AWS_PROFILE: _, LAMBDA_AGENTS_STACK: __, ...environment } = process.env;
    const env = { ...environment, AGENTS: LAUNCHER, NODE: process.execPath };
    return spawnSync('sh', ['-c', command], { encoding: 'utf8', cwd: directory, env });
  };

  it('works', () => {
    const { stdout, stderr, status } = run('"$NODE" "$AGENTS" --help');
    expect(stdout).toMatch(/^Usage: lambda-agents COMMAND/);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it('tells an expected failure in one line', () => {
    const { stdout, stderr, status } = run('"$NODE" "$AGENTS" runs --state nowhere');
    expect({ stdout, stderr, status }).toEqual({
      stdout: '',
      stderr: 'No local stack runs with its state in nowhere. Start it with npm start.\n',
      status: 69,
    });
  });

  it('names a file that it cannot read', () => {
    const { stderr, status } = run('"$NODE" "$AGENTS" enqueue echo --input-file missing.json');
    expect(stderr).toMatch(/missing\.json cannot be read \(ENOENT.*\)\. Name a file with JSON\.\n/);
    expect(status).toBe(64);
  });

  it('ends in peace when nobody reads on', () => {
    const { stderr } = run('"$NODE" "$AGENTS" --help | true');
    expect(stderr).toBe('');
  });
});
