import { rm } from 'node:fs/promises';
import { devNull } from 'node:os';
import { delimiter, join } from 'node:path';
import { runProgram } from './run-program.ts';

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

/** Runs `cdk synth` of the pinned CDK. It asks nothing of AWS and sees no credentials. */
export async function synthesize(options: SynthesizeOptions): Promise<void> {
  const { projectDirectory, outputDirectory, context = {}, timeoutMillis = 120_000 } = options;
  await rm(outputDirectory, { recursive: true, force: true });
  const cdk = join(projectDirectory, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  const given = Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]);
  const parameters = ['synth', '--quiet', '--no-notices', '--no-version-reporting', '--output', outputDirectory];
  await runProgram(process.execPath, [cdk, ...parameters, ...given], {
    cwd: projectDirectory,
    environment: synthEnvironment(projectDirectory),
    timeoutMillis,
    name: 'cdk synth',
  });
}

/** This process's environment without anything that says who the user is at AWS, and with the project's programs first. */
function synthEnvironment(projectDirectory: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  return {
    ...Object.fromEntries(kept),
    PATH: [join(projectDirectory, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter),
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
