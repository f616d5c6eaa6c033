import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findRunningStack } from '../../lib/local/running-stack.ts';
import { descendantsOf, isAlive, type RunningProcess } from './support/processes.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const IS_UP = 'Answers are in';

/** `npm start` as a shell starts it: with a process group of its own, which Ctrl-C reaches as a whole. */
class NpmStart {
  readonly exit: Promise<number | null>;
  output = '';
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;

  constructor(...parameters: readonly string[]) {
    this.#child = spawn('npm', ['start', '--', '--state', state, ...parameters], {
      cwd: PROJECT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.output += chunk;
      });
    }
    this.exit = new Promise((ended) => this.#child.once('exit', ended));
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  /** Its processes, once one of them runs this command. */
  running(command: RegExp): Promise<readonly RunningProcess[]> {
    const look = (): readonly RunningProcess[] => {
      const processes = descendantsOf(this.pid);
      expect(processes.map((one) => one.command)).toContainEqual(expect.stringMatching(command));
      return processes;
    };
    return vi.waitFor(look, { timeout: 20_000, interval: 50 });
  }
}

let state = '';
const started: NpmStart[] = [];
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'npm-start-'));
});
afterEach(async () => {
  for (const one of started.splice(0)) if (isAlive(one.pid)) one.signalGroup('SIGKILL');
  await rm(state, { recursive: true });
});
function start(...parameters: readonly string[]): NpmStart {
  const one = new NpmStart(...parameters);
  started.push(one);
  return one;
}

const allGone = (processes: readonly RunningProcess[]) =>
  vi.waitFor(() => expect(processes.filter(({ pid }) => isAlive(pid))).toEqual([]), { timeout: 10_000 });

describe('npm start', () => {
  it('takes every process along when Ctrl-C is pressed twice in its terminal', async () => {
    const npm = start();
    await vi.waitFor(() => expect(npm.output).toContain(IS_UP), { timeout: 60_000, interval: 50 });
    expect(npm.output).toMatch(/"ticket": "http:.*\nThe run ended COMPLETED/s);
    const processes = await npm.running(/worker-main/);
    expect(processes.filter(({ command }) => command.includes('worker-main')).length).toBeGreaterThanOrEqual(3);
    npm.signalGroup('SIGINT');
    npm.signalGroup('SIGINT');
    await npm.exit;
    await allGone(processes);
    expect(await findRunningStack(state)).toBeUndefined();
  });

  it.each<[string, (npm: NpmStart, launcher: number) => void]>([
    ['Ctrl-C is pressed', (npm) => npm.signalGroup('SIGINT')],
    ['its launcher is killed', (_npm, launcher) => process.kill(launcher, 'SIGKILL')],
  ])('leaves nothing behind when %s while it synthesizes', async (_how, stop) => {
    const npm = start();
    const processes = await npm.running(/infra\/app\.ts/);
    const launcher = processes.find(({ command }) => /^\S*node .*scripts\/start\.mjs/.test(command));
    stop(npm, launcher?.pid ?? Number.NaN);
    expect(await npm.exit).not.toBe(0);
    await allGone(processes);
    expect(npm.output).not.toMatch(/Synthesized|Error: |^ +at /m);
  });
});
