import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findRunningStack } from '../../lib/local/running-stack.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../scripts/start.mjs');

let state = '';
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'start-'));
});
afterEach(() => rm(state, { recursive: true }));

const run = (...parameters: readonly string[]) =>
  spawnSync(process.execPath, [LAUNCHER, '--state', state, ...parameters], { encoding: 'utf8' });

/** Processes that this one started, and theirs. */
function descendantsOf(pid: number): readonly number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const children = pairs.filter(([, parent]) => parent === pid).map(([child]) => child ?? 0);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

function printed(child: ChildProcessWithoutNullStreams, text: string): Promise<string> {
  return new Promise((found, failed) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.includes(text)) found(output);
    });
    child.once('exit', (code) => failed(new Error(`Exit ${code} without "${text}":\n${output}`)));
  });
}

describe('npm start', () => {
  it('answers the sample and ends', async () => {
    const startedAt = performance.now();
    const { stdout, stderr, status } = run('--once');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    // Meant to be at most 30 s on a machine with nothing else to do; told, not asserted.
    console.log(`npm start answered after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    expect(stdout).toMatch(/Synthesized the app in [\d.]+ s\.\nStarted .* in [\d.]+ s\.\nSending request/);
    expect(stdout).toMatch(/ {2}subagent test_runner started: it is polled/);
    expect(stdout).toMatch(/ {2}run code_review suspended, \d+ ms: no compute.*\n {2}run code_review goes on, /);
    expect(stdout).toContain('durable call open-ticket success');
    expect(stdout).toContain('"tests": "3 checks passed, 3 failed:');
    expect(stdout).toMatch(/"ticket": "http:\/\/127\.0\.0\.1:\d+\/tickets\/T-1"/);
    expect(stdout).toMatch(/The run ended COMPLETED after [\d.]+ s\.\n/);
    expect(await findRunningStack(state)).toBeUndefined();
  });

  it('stays up, lets nobody else in, and takes everything along on Ctrl-C', async () => {
    const diff = join(state, 'my.diff');
    await writeFile(diff, '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n');
    const child = spawn(process.execPath, [LAUNCHER, '--state', state, '--agent', 'diff_report', '--diff', diff]);
    const ended = new Promise<number | null>((resolveExit) => child.once('exit', resolveExit));
    const output = await printed(child, 'Answers are in');
    expect(output).toContain('1 file changed, 1 line added, 1 removed. No findings.');
    expect(output).toContain(`npx lambda-agents enqueue diff_report --input '{"diff":"..."}'`);

    const stack = await findRunningStack(state);
    expect(output).toContain(`--queue-url ${stack?.outputs.RequestQueueUrl}`);
    const second = run('--once');
    expect(second.stderr).toMatch(/^A local stack runs in .* already \(process \d+\)\. End it first/);
    expect(second.status).toBe(1);

    const processes = descendantsOf(child.pid ?? 0);
    // The stack itself and a warm process of each function.
    expect(processes.length).toBeGreaterThanOrEqual(4);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(await findRunningStack(state)).toBeUndefined();
    await vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), { timeout: 10_000 });
  });

  it.each([
    [['--onec'], /^Unknown option '--onec'\.\n\nUsage: npm start/],
    [['--agent', 'nobody'], /^There is no sample for an agent "nobody"\. Use one of code_review, diff_report, or/],
    [['--diff', '/not/there.diff'], /^\/not\/there\.diff cannot be read\. Name a file with a unified diff\.\n$/],
    [
      ['--agent', 'code_reviw'],
      /^There is no sample for an agent "code_reviw"\. Use one of code_review, diff_report, or/,
    ],
  ])('refuses %j before it starts anything', (parameters, message) => {
    const { stdout, stderr, status } = run(...parameters);
    expect(stderr).toMatch(message);
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });
});
