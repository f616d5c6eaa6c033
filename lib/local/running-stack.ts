import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { localStackError } from './local-stack-error.ts';

const runningStackSchema = z.object({
  /** The process that runs the stack. */
  pid: z.number(),
  region: z.string(),
  endpoints: z.object({ dynamodb: z.string(), sqs: z.string(), s3: z.string(), sfn: z.string() }),
  /** The outputs of the template, by name. */
  outputs: z.record(z.string(), z.string()),
  /** Where `<function>.log` files are. */
  logDirectory: z.string(),
});

/** A local stack that another process can use. */
export type RunningStack = z.infer<typeof runningStackSchema>;

const fileIn = (stateDirectory: string): string => join(stateDirectory, 'stack.json');

/** Tells other processes where the stack is. */
export async function announceStack(stateDirectory: string, stack: RunningStack): Promise<void> {
  await mkdir(stateDirectory, { recursive: true });
  const file = fileIn(stateDirectory);
  // Written beside its place, so that nobody reads half of it.
  await writeFile(`${file}.new`, `${JSON.stringify(stack, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

export async function withdrawStack(stateDirectory: string): Promise<void> {
  await rm(fileIn(stateDirectory), { force: true });
}

/** The stack that runs from this directory. A file left behind by a process that is gone counts for nothing. */
export async function findRunningStack(stateDirectory: string): Promise<RunningStack | undefined> {
  const file = fileIn(stateDirectory);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw localStackError(`${file} cannot be read. Choose another directory for the state.`, { cause: error });
  }
  const stack = parseStack(text);
  // Another version may have written it, and may still run.
  if (stack === undefined)
    throw localStackError(`${file} is not of this version. End the stack that wrote it, then remove the file.`);
  return isAlive(stack.pid) ? stack : undefined;
}

function parseStack(text: string): RunningStack | undefined {
  try {
    return runningStackSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Two stacks in one directory would overwrite each other's files. */
export async function refuseSecondStack(stateDirectory: string): Promise<void> {
  const running = await findRunningStack(stateDirectory);
  if (running === undefined) return;
  throw localStackError(
    `A local stack runs in ${stateDirectory} already (process ${running.pid}). End it first, or use another directory.`,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be signalled, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
