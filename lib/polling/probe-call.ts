import { AgentError } from '../errors/agent-error.ts';
import { JournalStore } from '../store/journal-store.ts';
import type { PollEntry } from '../store/poll-records.ts';
import { PollStore } from '../store/poll-store.ts';
import type { AsyncSubagentSetup } from '../subagents/async-subagent-setup.ts';
import { isRunStatus, type RunStatus } from '../subagents/run-status.ts';
import { shortError } from '../subagents/short-error.ts';
import type { SubagentCall } from '../subagents/subagent-call.ts';
import { isSubagentResult, SubagentResult } from '../subagents/subagent-result.ts';
import { callOfEntry } from './call-of-entry.ts';
import { faultCall } from './fault-call.ts';
import { HOOK_MILLIS, SUBMIT_MILLIS } from './hook-limits.ts';
import type { PolledRun } from './poll-ports.ts';
import { settleCall } from './settle-call.ts';
import { setupOf } from './setup-of.ts';
import { within } from './within.ts';

/** Failed probes in a row after which a call is given up. */
const MAX_FAILURES = 10;
/** Longest time between two probes of a call that fail. */
const MAX_BACKOFF_MILLIS = 60_000;
/** A job that was submitted may take so long to be known; at least two intervals. */
const MIN_UNKNOWN_MILLIS = 5_000;

/** `open`: the call is still followed. */
export type ProbeResult = 'open' | 'ended';

/** Asks the remote once how far a call is, and does what its answer asks for. Whatever goes wrong with it harms no other call. */
export async function probeCall(run: PolledRun, entry: PollEntry): Promise<ProbeResult> {
  const { clock } = run.ports;
  // That our own store does not answer is nothing that the remote has to answer for: the round is repeated.
  const call = await callOfEntry(run, entry);
  let answer: SubagentResult | undefined;
  try {
    const setup = setupOf(run, entry);
    const status = await within(clock, HOOK_MILLIS, 'callQueryStatus', () => setup.callQueryStatus(call));
    if (!isRunStatus(status)) throw noRunStatus();
    answer = await answerOf(run, setup, call, status);
    if (status.kind === 'NOT_STARTED') return await unknownJob(run, entry, setup, call);
  } catch (error) {
    return probeFailed(run, entry, error);
  }
  if (answer === undefined) return stillRunning(run, entry);
  await settle(run, entry, answer);
  return 'ended';
}

/** What the status says of the answer; `undefined`: not yet. */
async function answerOf(
  { ports }: PolledRun,
  setup: AsyncSubagentSetup,
  call: SubagentCall,
  status: RunStatus,
): Promise<SubagentResult | undefined> {
  switch (status.kind) {
    case 'FAILED':
      return SubagentResult.error(status.errorMessage);
    case 'COMPLETED': {
      const answer = await within(ports.clock, HOOK_MILLIS, 'callFetchResult', () => setup.callFetchResult(call));
      if (isSubagentResult(answer)) return answer;
      throw new AgentError(
        'INVALID_SUBAGENT',
        'callFetchResult answered something that is no SubagentResult. Return SubagentResult.ok(…) or SubagentResult.error(…).',
      );
    }
    default:
      return undefined;
  }
}

async function settle(run: PolledRun, entry: PollEntry, answer: SubagentResult): Promise<void> {
  const { ports, runId, ttl, plans } = run;
  const config = plans.configOf(entry.agent);
  await settleCall(ports, { runId, ttl, ...entry }, answer, config['payload.max-bytes']);
  await entriesOf(run).deleteEntry(entry);
}

async function stillRunning(run: PolledRun, entry: PollEntry): Promise<ProbeResult> {
  const isCalm = entry.failures === undefined && entry.nextAt === undefined && entry.notStartedSince === undefined;
  if (!isCalm)
    await entriesOf(run).updateEntry(entry, { failures: undefined, nextAt: undefined, notStartedSince: undefined });
  return 'open';
}

/** The remote took the job and does not know it: it is submitted once more after a while, then the answer is an error. */
async function unknownJob(
  run: PolledRun,
  entry: PollEntry,
  setup: AsyncSubagentSetup,
  call: SubagentCall,
): Promise<ProbeResult> {
  const now = run.ports.clock.now();
  const since = entry.notStartedSince ?? now;
  const isPatient = now - since < Math.max(2 * entry.intervalMillis, MIN_UNKNOWN_MILLIS);
  const calm = { failures: undefined, nextAt: undefined };
  if (isPatient) {
    if (entry.notStartedSince === undefined) await entriesOf(run).updateEntry(entry, { ...calm, notStartedSince: now });
    return 'open';
  }
  if (entry.resubmitted !== undefined) {
    await settle(
      run,
      entry,
      SubagentResult.error('The remote does not know the job, also after it was submitted again.'),
    );
    return 'ended';
  }
  // Of a call that is over the remote may have been told to stop, which is why it does not know the job any more.
  if (!(await isWaitedFor(run, entry))) return 'open';
  await within(run.ports.clock, SUBMIT_MILLIS, 'callSubmitRequest', () => setup.callSubmitRequest(call));
  await entriesOf(run).updateEntry(entry, { ...calm, resubmitted: 1, notStartedSince: run.ports.clock.now() });
  return 'open';
}

async function probeFailed(run: PolledRun, entry: PollEntry, error: unknown): Promise<ProbeResult> {
  const failures = (entry.failures ?? 0) + 1;
  if (failures >= MAX_FAILURES) {
    await faultCall(
      run,
      entry,
      `${failures} probes of sub-agent "${entry.subagent}" failed in a row, the last one with ${shortError(error)}`,
    );
    return 'ended';
  }
  const { intervalMillis } = entry;
  const wait = Math.max(Math.min(intervalMillis * 2 ** failures, MAX_BACKOFF_MILLIS), intervalMillis);
  await entriesOf(run).updateEntry(entry, { failures, nextAt: run.ports.clock.now() + wait });
  return 'open';
}

async function isWaitedFor({ ports, runId, ttl }: PolledRun, { actionId, slot }: PollEntry): Promise<boolean> {
  const record = await new JournalStore(ports.items, runId, ttl).getCall(actionId, slot);
  return record?.status === 'PENDING';
}

const entriesOf = ({ ports, runId, ttl }: PolledRun): PollStore => new PollStore(ports.items, runId, ttl);

const noRunStatus = (): AgentError =>
  new AgentError(
    'INVALID_SUBAGENT',
    'callQueryStatus answered something that is no RunStatus. Return one of RunStatus.notStarted(), running(), completed() or failed(error).',
  );
