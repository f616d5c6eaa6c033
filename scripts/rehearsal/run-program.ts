import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ProgramOptions {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly timeoutMillis: number;
}

const LINES_SHOWN = 40;

/** Runs a program to its end. Its output is shown only when it fails. */
export async function runProgram(
  program: string,
  parameters: readonly string[],
  options: ProgramOptions,
): Promise<void> {
  const { cwd, environment, timeoutMillis } = options;
  // A group of its own, so that what it starts ends with it.
  const child = spawn(program, [...parameters], {
    cwd,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const killGroup = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(killGroup, timeoutMillis);
  process.on('exit', killGroup);
  try {
    const [exitCode, signal] = await once(child, 'close');
    if (exitCode === 0) return;
    const name = [program.split('/').at(-1), ...parameters.slice(0, 2)].join(' ');
    const end = signal === null ? `exit status ${exitCode}` : `${signal}, after at most ${timeoutMillis / 1000} s`;
    const lines = Buffer.concat(chunks).toString('utf8').trim().split('\n').slice(-LINES_SHOWN);
    throw new Error(`"${name}" ended with ${end}. Mend what it says.\n${lines.join('\n')}`);
  } finally {
    clearTimeout(timer);
    process.off('exit', killGroup);
  }
}
