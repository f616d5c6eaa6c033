import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { runProgram } from '../../lib/local/run-program.ts';
import { splitLines } from '../../lib/local/split-lines.ts';
import { findFreePort } from '../free-port.ts';

/** The AWS emulator of the rehearsal, from PyPI. */
const MINISTACK_VERSION = '1.5.33';
const LINES_KEPT = 1_000;

/** A running AWS emulator. */
export interface Emulator {
  readonly url: string;
  /** What it and the functions wrote last. */
  logTail(lines: number): string;
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  readonly projectDirectory: string;
  readonly region: string;
  /** Takes the code of the functions; removing it is up to the caller. */
  readonly temporaryDirectory: string;
}

/** Installs the emulator into a virtual environment of its own, once. */
export async function installEmulator(projectDirectory: string): Promise<void> {
  const home = homeOf(projectDirectory);
  if (existsSync(home)) return;
  // Built beside its place, so that an installation that broke off is not taken for a whole one.
  const building = `${home}.building`;
  await rm(building, { recursive: true, force: true });
  const options = { cwd: projectDirectory, environment: process.env, timeoutMillis: 300_000 };
  await runProgram('python3', ['-m', 'venv', building], options);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `ministack==${MINISTACK_VERSION}`];
  await runProgram(join(building, 'bin', 'python'), pip, options);
  await rename(building, home);
}

/** Starts the emulator on a free port of 127.0.0.1. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { projectDirectory, region, temporaryDirectory } = options;
  const port = await findFreePort();
  // Its module, not its program: the latter names the directory that it was installed in.
  const child = spawn(join(homeOf(projectDirectory), 'bin', 'python'), ['-m', 'ministack'], {
    cwd: projectDirectory,
    env: {
      // It runs functions by the first `node` that it finds.
      PATH: [join(projectDirectory, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter),
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      MINISTACK_REGION: region,
      TMPDIR: temporaryDirectory,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    splitLines(stream, (line) => {
      lines.push(line);
      if (lines.length > LINES_KEPT) lines.shift();
    });
  }
  const url = `http://127.0.0.1:${port}`;
  const logTail = (count: number) => lines.slice(-count).join('\n');
  const stop = () => stopGroup(child);
  try {
    // Only this child can write the line, so nobody else has taken the port meanwhile.
    await until(() => lines.some((line) => line.includes(`Running on ${url}`)), child, 60_000);
  } catch (error) {
    await stop();
    throw new Error(`The emulator did not start. Read what it wrote:\n${logTail(30)}`, { cause: error });
  }
  return { url, logTail, stop };
}

const homeOf = (projectDirectory: string) => join(projectDirectory, '.cache', `ministack-${MINISTACK_VERSION}`);

async function until(isDone: () => boolean, child: ChildProcess, timeoutMillis: number): Promise<void> {
  const deadline = Date.now() + timeoutMillis;
  while (!isDone()) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('The process ended.');
    if (Date.now() > deadline) throw new Error(`Nothing happened within ${timeoutMillis / 1000} s.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Ends the emulator and the function processes that it started. */
async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const group = -child.pid;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const running = child.exitCode === null && child.signalCode === null;
  if (running) process.kill(group, 'SIGTERM');
  const timer = setTimeout(() => process.kill(group, 'SIGKILL'), 10_000);
  if (running) await ended;
  clearTimeout(timer);
}
