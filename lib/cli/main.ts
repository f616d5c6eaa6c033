// The entry of the command line: everything about this process is here.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandContext } from './command.ts';
import { runCli } from './run-cli.ts';
import { UsageError } from './usage-error.ts';

const { stdout, stderr, env } = process;
const environment = {
  variables: env,
  projectDirectory: resolve(import.meta.dirname, '../..'),
  workingDirectory: process.cwd(),
};

const context: CommandContext = {
  terminal: {
    colour: stdout.isTTY === true && stdout.hasColors(),
    columns: stdout.isTTY ? stdout.columns : undefined,
    out: (line) => void stdout.write(`${line}\n`),
    err: (line) => void stderr.write(`${line}\n`),
  },
  async openDeployment(choice) {
    // The AWS clients take half a second to load; help and mistakes need none.
    const { openDeployment } = await import('./open-deployment.ts');
    return openDeployment(choice, environment, (note) => void stderr.write(`${note}\n`));
  },
  readText,
  now: Date.now,
  pause: (millis) => pause(millis),
  createId: randomUUID,
};

// Whoever reads the output may have seen enough: `trace ID | head`.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCli(process.argv.slice(2), context);

async function readText(file: string | undefined): Promise<string> {
  if (file === undefined) return text(process.stdin);
  const path = resolve(file);
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UsageError(
      `${path} cannot be read (${cause instanceof Error ? cause.message : cause}). Name a file with JSON.`,
      {
        cause,
      },
    );
  }
}
