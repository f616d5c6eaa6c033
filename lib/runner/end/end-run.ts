import type { Config } from '../../agent/config.ts';
import type { PlanSet } from '../../agent/plan.ts';
import { EventType } from '../../events/event.ts';
import { cancelJob } from '../../polling/cancel-job.ts';
import { EMPTY_JOURNAL, type Journal } from '../../store/journal.ts';
import { JournalStore } from '../../store/journal-store.ts';
import { Payloads } from '../../store/payloads.ts';
import { PollStore } from '../../store/poll-store.ts';
import type { RunOutcome, RunRecord } from '../../store/run-record.ts';
import { RunStore } from '../../store/run-store.ts';
import { RunTracer } from '../../trace/run-tracer.ts';
import { failedShard } from '../due-index.ts';
import { decodeBody } from '../engine/action-body.ts';
import type { RunOutput } from '../engine/engine-outcome.ts';
import type { MemoryWrites } from '../engine/run-memory.ts';
import { settledOrdinals } from '../engine/settle-order.ts';
import { KeyMemory } from '../key/key-memory.ts';
import { isKeyed, KeyOrder } from '../key/key-order.ts';
import { eventIdOf } from '../run-ids.ts';
import type { DrivePorts } from '../runner-ports.ts';
import { traceRun } from '../trace-run.ts';
import { outputMessage, statusMessage } from './output-message.ts';

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
  /** What the driver does not hand in. */
  readonly journal: Journal | undefined;
  readonly plans: PlanSet;
}

/** The steps of an end, in order. Each may be repeated, also by two at once: whoever comes next finishes what was begun. */
const STEPS: readonly ((ending: Ending) => Promise<unknown>)[] = [
  stopCalls,
  sendOutputs,
  keepMemory,
  passKeyOn,
  finish,
];

/**
 * Ends a run whose outcome is fixed (COMPLETING). By its driver, who hands in the results, or by whoever is woken later,
 * who reads them from the journal. Does nothing for a run that is not COMPLETING.
 */
export async function endRun(
  plans: PlanSet,
  ports: DrivePorts,
  runId: string,
  known?: RunResults,
): Promise<RunOutcome | undefined> {
  const run = await new RunStore(ports.items).get(runId);
  if (run?.status !== 'COMPLETING' || run.outcome === undefined) return undefined;
  const { outcome } = run;
  const config = plans.configOf(run.agent);
  const payloads = new Payloads(ports.payloads, runId, config['payload.max-bytes']);
  const journal = known ? undefined : (await new JournalStore(ports.items, run.runId, run.ttl).read()).journal;
  const results = known ?? (await readResults(run, journal ?? EMPTY_JOURNAL, payloads));
  for (const step of STEPS) await step({ plans, ports, config, run, outcome, results, payloads, journal });
  return outcome;
}

/**
 * E2: nothing is polled any more. A run that completed has no open calls. Of one that was cancelled the remotes are asked to stop;
 * one that failed may be redriven, and then takes the answers of jobs that went on.
 */
async function stopCalls({ plans, ports, run, outcome, journal }: Ending): Promise<void> {
  if (journal === undefined) return;
  const { runId, ttl } = run;
  const { records, entries } = journal.polls;
  const store = new PollStore(ports.items, runId, ttl);
  for (const interval of records.keys()) await store.close(interval);
  if (outcome !== 'CANCELLED') return;
  // Of a call that was given up: whoever did that died before the remote was told.
  const untold = new Set(
    [...journal.calls.values()]
      .filter(({ status }) => status === 'PENDING' || status === 'CANCELLED')
      .map(({ ordinal }) => ordinal),
  );
  const open = [...entries.values()].filter(({ ordinal }) => untold.has(ordinal));
  await Promise.all(
    open.map((entry) => cancelJob({ plans, ports, runId, ttl }, entry, new RunTracer(ports.trace, ports.clock, run))),
  );
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
export async function readResults(run: RunRecord, journal: Journal, payloads: Payloads): Promise<RunResults> {
  const finished = new Map(Array.from(journal.actions.values(), (action) => [action.ordinal, action]));
  const outputs: RunOutput[] = [];
  const shortTerm = new Map<string, string | null>();
  for (const ordinal of settledOrdinals(run.settleOrder, journal)) {
    const action = finished.get(ordinal);
    if (action === undefined) continue;
    const body = decodeBody(await payloads.load(action));
    body.events.forEach(({ type, text }, emission) => {
      if (type === EventType.OutputEvent) outputs.push({ eventId: eventIdOf(action.actionId, emission), text });
    });
    if (action.epoch < (run.lifeEpoch ?? 0)) continue;
    for (const [field, value] of Object.entries(body.shortTerm)) shortTerm.set(field, value);
  }
  return { outputs, shortTerm: Object.fromEntries(shortTerm) };
}
