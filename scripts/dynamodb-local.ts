import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fetchDynamoDBLocal } from './fetch-dynamodb-local.ts';
import { findFreePort } from './free-port.ts';

/** A running DynamoDB Local. */
export interface DynamoDBLocal {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
}

// A cold JVM on a busy machine takes 8 s.
const READY_MILLIS = 60_000;
const POLL_MILLIS = 100;
const MAX_PORT_RACES = 3;

/** Starts DynamoDB Local, in memory, on a free port. Needs Java 17 or later on the path. */
export async function startDynamoDBLocal(): Promise<DynamoDBLocal> {
  const folder = await fetchDynamoDBLocal();
  for (let race = 1; ; race += 1) {
    const port = await findFreePort();
    const child = launch(folder, port);
    const endpoint = `http://127.0.0.1:${port}`;
    try {
      await waitUntilReady(endpoint, child);
      return { endpoint, stop: () => stop(child) };
    } catch (error) {
      await stop(child);
      // It cannot choose a port itself, so somebody else may have taken the free one in the meantime.
      if (race === MAX_PORT_RACES) throw error;
    }
  }
}

function launch(folder: string, port: number): ChildProcess {
  const java = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Djava.library.path=./DynamoDBLocal_lib'];
  const options = ['-jar', 'DynamoDBLocal.jar', '-inMemory', '-sharedDb', '-disableTelemetry', '-port', String(port)];
  const child = spawn('java', [...java, ...options], { cwd: folder, stdio: 'ignore' });
  // Without a listener a missing Java would end this process; the wait below reports it.
  child.on('error', () => {});
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function waitUntilReady(endpoint: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_MILLIS;
  while (isRunning(child) && Date.now() < deadline) {
    if ((await answers(endpoint)) && isRunning(child)) {
      return;
    }
    await pause(POLL_MILLIS);
  }
  throw new Error(`DynamoDB Local did not start at ${endpoint}. Check that Java 17 or later is on the path.`);
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    const response = await fetch(endpoint);
    return response.headers.has('x-amzn-requestid');
  } catch {
    // Nobody listens yet.
    return false;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (isRunning(child)) {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
