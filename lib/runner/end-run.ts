import type { Config } from '../agent/config.ts';
import { EventType } from '../events/event.ts';
import type { Journal } from '../store/journal.ts';
import { JournalStore } from '../store/journal-store.ts';
import { Payloads } from '../store/payloads.ts';
import type { RunOutcome, RunRecord } from '../store/run-record.ts';
import { RunStore } from '../store/run-store.ts';
import { decodeBody } from './action-body.ts';
import { failedShard } from './due-index.ts';
import type { RunOutput } from './engine-outcome.ts';
import { KeyMemory } from './key-memory.ts';
import { isKeyed, KeyOrder } from './key-order.ts';
import { outputMessage, statusMessage } from './output-message.ts';
import { eventIdOf } from './run-ids.ts';
import type { MemoryWrites } from './run-memory.ts';
import type { DrivePorts } from './runner-ports.ts';
import { settledOrdinals } from './settle-order.ts';
import { traceRun } from './trace-run.ts';

/** What the finished actions of a run leave behind. */
export interface RunResults {
  readonly outputs: readonly RunOutput[];
  readonly shortTerm: MemoryWrites;
}

interface Ending {
  readonly ports: DrivePorts;
  readonly config: Config;
  readonly run: RunRecord;
  readonly outcome: RunOutcome;
  readonly results: RunResults;
  readonly payloads: Payloads;
}

/** The steps of an end, in order. Each may be repeated, also by two at once: whoever comes next finishes what was begun. */
const STEPS: readonly ((ending: Ending) => Promise<unknown>)[] = [sendOutputs, keepMemory, passKeyOn, finish];

/**
 * Ends a run whose outcome is fixed (COMPLETING). By its driver, who hands in the results, or by whoever is woken later,
 * who reads them from the journal. Does nothing for a run that is not COMPLETING.
 */
export async function endRun(
  ports: DrivePorts,
  config: Config,
  runId: string,
  known?: RunResults,
): Promise<RunOutcome | undefined> {
  const run = await new RunStore(ports.items).get(runId);
  if (run?.status !== 'COMPLETING' || run.outcome === undefined) return undefined;
  const payloads = new Payloads(ports.payloads, runId, config['payload.max-bytes']);
  const results = known ?? (await readResults(ports, run, payloads));
  for (const step of STEPS) await step({ ports, config, run, outcome: run.outcome, results, payloads });
  return run.outcome;
}

/** E3: outputs first, then the status message, so that no run is final before its outputs were sent. */
async function sendOutputs({ ports, run, outcome, results, payloads }: Ending): Promise<void> {
  const messages = await Promise.all(results.outputs.map((output) => outputMessage(run, output, payloads)));
  await ports.outputs.send(messages);
  // Apart: a batch that is accepted in part must not put the status before a repeated output.
  await ports.outputs.send([statusMessage(run, outcome)]);
}

/** E5. */
async function keepMemory({ ports, config, run, outcome, results, payloads }: Ending): Promise<void> {
  if (!isKeyed(run) || run.neverDriven !== undefined) return;
  if (outcome !== 'FAILED' && Object.keys(results.shortTerm).length === 0) return;
  await new KeyMemory({ ports, config, run, payloads }).keep(results.shortTerm, outcome === 'FAILED');
}

/** E6. */
async function passKeyOn({ ports, config, run }: Ending): Promise<void> {
  if (isKeyed(run)) await new KeyOrder(ports, config).release(run);
}

/** E7. */
async function finish({ ports, run, outcome }: Ending): Promise<void> {
  const listed = { shard: failedShard(run.runId), dueAt: run.ttl * 1_000 };
  const finished = await new RunStore(ports.items).finish(run, outcome, listed);
  // Finished runs are listed from the logs, so whoever may have been the last one tells it.
  const isOwnRetry = finished.run?.status === outcome && finished.run.epoch === run.epoch;
  if (finished.kind === 'written' || isOwnRetry) traceRun(ports, run, { kind: 'ended', outcome });
}

/** Outputs and memory writes of the finished actions, in the order in which the run saw them finish. */
export async function readResults(
  { items }: Pick<DrivePorts, 'items'>,
  run: RunRecord,
  payloads: Payloads,
): Promise<RunResults> {
  const { journal } = await new JournalStore(items, run.runId, run.ttl).read();
  return resultsOf(journal, settledOrdinals(run.settleOrder, journal), run.lifeEpoch ?? 0, payloads);
}

async function resultsOf(
  journal: Journal,
  order: readonly number[],
  lifeEpoch: number,
  payloads: Payloads,
): Promise<RunResults> {
  const finished = new Map(Array.from(journal.actions.values(), (action) => [action.ordinal, action]));
  const outputs: RunOutput[] = [];
  const shortTerm = new Map<string, string | null>();
  for (const ordinal of order) {
    const action = finished.get(ordinal);
    if (action === undefined) continue;
    const body = decodeBody(await payloads.load(action));
    body.events.forEach(({ type, text }, emission) => {
      if (type === EventType.OutputEvent) outputs.push({ eventId: eventIdOf(action.actionId, emission), text });
    });
    if (action.epoch < lifeEpoch) continue;
    for (const [field, value] of Object.entries(body.shortTerm)) shortTerm.set(field, value);
  }
  return { outputs, shortTerm: Object.fromEntries(shortTerm) };
}
