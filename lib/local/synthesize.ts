import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { localStackError } from './local-stack-error.ts';
import { splitLines } from './split-lines.ts';

export interface SynthesizeOptions {
  /** The repository: where `cdk.json` and `node_modules` are. */
  readonly projectDirectory: string;
  /** Where the assembly goes; emptied first. */
  readonly outputDirectory: string;
  /** `cdk -c name=value`. @default none */
  readonly context?: Readonly<Record<string, string>>;
  /** @default 120000 */
  readonly timeoutMillis?: number;
}

const LINES_SHOWN = 40;

/** Runs `cdk synth` of the pinned CDK. It asks nothing of AWS and sees no credentials. */
export async function synthesize(options: SynthesizeOptions): Promise<void> {
  const { projectDirectory, outputDirectory, context = {}, timeoutMillis = 120_000 } = options;
  await rm(outputDirectory, { recursive: true, force: true });
  const cdk = join(projectDirectory, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  const given = Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  const parameters = [
    'synth',
    '--quiet',
    '--no-notices',
    '--no-version-reporting',
    '--output',
    outputDirectory,
    ...given,
  ];
  const child = spawn(process.execPath, [cdk, ...parameters], {
    cwd: projectDirectory,
    env: synthEnvironment(projectDirectory),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: the CDK starts the app as a further process, which must end with it.
    detached: true,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) splitLines(stream, (line) => lines.push(line));
  const end = await ended(child, timeoutMillis);
  if (end === 'exit code 0') return;
  const shown = lines.slice(-LINES_SHOWN).map((line) => `\n  ${line}`);
  throw localStackError(`"cdk synth" failed (${end}). Mend what it says.${shown.join('')}`);
}

function ended(child: ReturnType<typeof spawn>, timeoutMillis: number): Promise<string> {
  return new Promise((resolve) => {
    const killGroup = () => {
      const running = child.exitCode === null && child.signalCode === null;
      if (child.pid !== undefined && running) process.kill(-child.pid, 'SIGKILL');
    };
    const finish = (end: string) => {
      clearTimeout(timer);
      process.off('exit', killGroup);
      resolve(end);
    };
    const timer = setTimeout(() => {
      killGroup();
      finish(`no answer within ${timeoutMillis / 1000} s`);
    }, timeoutMillis);
    process.on('exit', killGroup);
    child.once('error', (error) => finish(error.message));
    child.once('close', (code, signal) => finish(signal ?? `exit code ${code}`));
  });
}

/** This process's environment without anything that says who the user is at AWS, and with the project's programs first. */
function synthEnvironment(projectDirectory: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  return {
    ...Object.fromEntries(kept),
    PATH: `${join(projectDirectory, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
