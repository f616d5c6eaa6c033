import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { localStackError } from './local-stack-error.ts';
import { splitLines } from './split-lines.ts';

export interface ProgramOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMillis: number;
  /** For the message of a failure. @default the program and its first two parameters */
  readonly name?: string;
}

const LINES_SHOWN = 40;

/**
 * Runs a program to its end. What it writes is shown only when it fails.
 * @throws AgentError `LOCAL_STACK_FAILED`
 */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  options: ProgramOptions,
): Promise<void> {
  const { cwd, environment, timeoutMillis, name = [basename(program), ...parameters.slice(0, 2)].join(' ') } = options;
  const child = spawn(program, [...parameters], {
    cwd,
    env: environment,
    // A group of its own, so that what it starts ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    splitLines(stream, (line) => {
      lines.push(line);
      if (lines.length > LINES_SHOWN) lines.shift();
    });
  }
  const failure = await failureOf(child, timeoutMillis);
  if (failure === undefined) return;
  const shown = lines.map((line) => `\n  ${line}`).join('');
  throw localStackError(`"${name}" failed (${failure}). Mend what it says.${shown}`);
}

/** Why it did not end well; `undefined`: it did. */
function failureOf(child: ChildProcess, timeoutMillis: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const killGroup = () => {
      const running = child.exitCode === null && child.signalCode === null;
      if (child.pid !== undefined && running) process.kill(-child.pid, 'SIGKILL');
    };
    const finish = (failure: string | undefined) => {
      clearTimeout(timer);
      process.off('exit', killGroup);
      resolve(failure);
    };
    const timer = setTimeout(() => {
      killGroup();
      finish(`no answer within ${timeoutMillis / 1000} s`);
    }, timeoutMillis);
    process.on('exit', killGroup);
    child.once('error', (error) => finish(error.message));
    child.once('close', (code, signal) => finish(code === 0 ? undefined : (signal ?? `exit code ${code}`)));
  });
}
