import type { Config } from '../../agent/config.ts';
import type { AgentPlan, PlanSet } from '../../agent/plan.ts';
import { AgentError } from '../../errors/agent-error.ts';
import { ReplayMismatchError } from '../../errors/public-errors.ts';
import type { NeededPoller } from '../../polling/ensure-poller.ts';
import type { Wake } from '../../ports/queues.ts';
import { EMPTY_JOURNAL, type Journal } from '../../store/journal.ts';
import { type JournalRead, JournalStore } from '../../store/journal-store.ts';
import { Payloads } from '../../store/payloads.ts';
import { openEntries } from '../../store/poll-records.ts';
import type { RunOutcome, RunRecord, RunStatus } from '../../store/run-record.ts';
import { RunStore } from '../../store/run-store.ts';
import type { StoredText } from '../../store/stored-text.ts';
import { RunTracer } from '../../trace/run-tracer.ts';
import { endRun } from '../end/end-run.ts';
import { DriveState } from '../engine/drive-state.ts';
import type { EngineOutcome } from '../engine/engine-outcome.ts';
import { FactRecorder } from '../engine/fact-recorder.ts';
import { OrderLog } from '../engine/order-log.ts';
import { RunEngine } from '../engine/run-engine.ts';
import type { MemoryContents } from '../engine/run-memory.ts';
import { Signal } from '../engine/signal.ts';
import { KeyMemory } from '../key/key-memory.ts';
import { isKeyed, KeyOrder } from '../key/key-order.ts';
import { endOfAge } from '../retention.ts';
import type { DrivePorts } from '../runner-ports.ts';
import { traceRun } from '../trace-run.ts';
import { concludeChange, decideClaim, runExpired } from './claim.ts';
import { decideResume } from './decide-resume.ts';
import { decideWake } from './decide-wake.ts';
import { DriveLease, driveTimes } from './drive-lease.ts';
import { Pollers } from './pollers.ts';
import { type DriveResult, settleDrive } from './settle-drive.ts';

export interface DriveOptions {
  readonly plans: PlanSet;
  readonly ports: DrivePorts;
  /** End of the invocation, milliseconds since 1970. */
  readonly deadline: number;
}

/** What a claimed run is driven with. */
interface ClaimedRun {
  readonly run: RunRecord;
  readonly journal: Journal;
  readonly seenOrdinals: readonly number[];
  readonly inputText: string;
  readonly memoryView: StoredText | undefined;
  /** What stood in the record before the claim, and a time, before the journal was read. */
  readonly seenStatus: RunStatus;
  readonly wakeCount: number;
  readonly readAt: number;
}

/** D1 to D9: what a wake does. It is a hint: lost, late, doubled or reordered it changes nothing but timing. */
export async function driveRun(options: DriveOptions, wake: Wake): Promise<DriveResult> {
  const { plans, ports } = options;
  const seen = await new RunStore(ports.items).get(wake.runId);
  const config = plans.configOf(seen?.agent ?? '');
  const decision = decideWake(seen, config, ports.clock.now());
  if (decision.kind === 'drop' || seen === undefined)
    return { kind: 'dropped', why: decision.kind === 'drop' ? decision.why : '' };
  switch (decision.kind) {
    case 'end':
      return ended(await endRun(plans, ports, seen.runId));
    case 'conclude':
      return decision.because === 'cancelled'
        ? conclude(plans, ports, seen, 'CANCELLED')
        : conclude(plans, ports, seen, 'FAILED', runExpired(config));
    case 'take-key':
      return takeKey(options, config, seen);
    case 'look':
      return look(options, config, seen);
    case 'drive':
      return claimAndDrive(options, config, seen, { turn: undefined });
  }
}

/** Run-agent parks a run that is due although it waits, and drives one that holds its key. */
async function takeKey(options: DriveOptions, config: Config, seen: RunRecord): Promise<DriveResult> {
  if (!isKeyed(seen)) return { kind: 'dropped', why: 'the run is PARKED without a key' };
  const taken = await new KeyOrder(options.ports, config).take(seen);
  if (taken.kind === 'active') return claimAndDrive(options, config, seen, { turn: taken.turn });
  if (taken.kind === 'parked')
    await new RunStore(options.ports.items).park(seen.runId, seen.wakeCount, endOfAge(seen.createdAt, config));
  return { kind: 'parked' };
}

/** D2a: a suspended run is claimed only when a wait of it can end. Whoever looks also sees to its pollers. */
async function look(options: DriveOptions, config: Config, seen: RunRecord): Promise<DriveResult> {
  const { items, clock } = options.ports;
  const readAt = clock.now();
  const read = await new JournalStore(items, seen.runId, seen.ttl).read();
  const decision = decideResume(read.journal, seen.settleOrder, clock.now());
  if (decision.kind === 'resume')
    return claimAndDrive(options, config, seen, { turn: undefined, read: { ...read, readAt } });
  const checkAt = await pollersOf(options, config, seen).ensure(polledBy(read.journal));
  const end = endOfAge(seen.createdAt, config);
  // Whoever has recorded something meanwhile, for instance a probe of our own, has woken the run.
  await new RunStore(items).keepSuspended(seen, Math.min(decision.until ?? end, checkAt ?? end, end));
  return { kind: 'dropped', why: 'nothing that the run waits for has happened' };
}

/** What a run that is suspended with this journal is polled for. */
function polledBy({ calls, polls }: Journal): readonly NeededPoller[] {
  const pending = new Set(
    Array.from(calls.values()).flatMap(({ status, ordinal }) => (status === 'PENDING' ? [ordinal] : [])),
  );
  const open = openEntries(polls).filter(({ ordinal }) => pending.has(ordinal));
  const intervals = new Set(open.map(({ intervalMillis }) => intervalMillis));
  return Array.from(intervals, (intervalMillis) => ({
    intervalMillis,
    known: polls.records.get(intervalMillis),
    added: false,
  }));
}

function pollersOf({ plans, ports, deadline }: DriveOptions, config: Config, run: RunRecord): Pollers {
  const tracer = new RunTracer(ports.trace, ports.clock, run);
  const { runId, agent, ttl } = run;
  return new Pollers({ plans, ports, runId, ttl }, ports.polls, {
    checkMillis: config['subagent.poll-check-millis'],
    deadline,
    onProblem: (error) =>
      tracer.write({
        entityType: 'run',
        entityName: agent,
        executionId: runId,
        status: 'failed',
        problemCategory: 'poller_not_started',
        error,
      }),
  });
}

async function claimAndDrive(
  options: DriveOptions,
  config: Config,
  seen: RunRecord,
  known: { readonly turn: number | undefined; readonly read?: JournalRead & { readonly readAt: number } },
): Promise<DriveResult> {
  const { plans, ports, deadline } = options;
  const plan = plans.get(seen.agent);
  const store = new JournalStore(ports.items, seen.runId, seen.ttl);
  const { turn } = known;
  const readAt = known.read?.readAt ?? ports.clock.now();
  const read = known.read ?? (isUntouched(seen) ? undefined : await store.read());
  const journal = read?.journal ?? EMPTY_JOURNAL;
  const now = ports.clock.now();
  const owner = ports.createToken();
  const decision = decideClaim({ seen, journal, config, now, deadline, owner, turn });
  if (decision.kind === 'conclude') return conclude(plans, ports, seen, 'FAILED', decision.error);
  const claimed = await new RunStore(ports.items).claim(seen, decision.change, now);
  const run = claimed.kind === 'written' || claimed.run?.owner === owner ? claimed.run : undefined;
  if (run === undefined) return { kind: 'dropped', why: 'somebody else took the run' };
  if (plan === undefined) return settleDrive({ plans, ports, config, run, newFacts: 0 }, unknownAgent(run));
  const payloads = new Payloads(ports.payloads, run.runId, config['payload.max-bytes']);
  const { seenOrdinals } = decision;
  let inputText: string;
  try {
    inputText = run.input ?? (await loadInput(run, read?.input ?? (await store.getInput()), payloads));
  } catch (error) {
    return settleDrive({ plans, ports, config, run, newFacts: 0 }, { kind: 'attempt-failed', error });
  }
  return drive(options, plan, {
    run,
    journal,
    seenOrdinals,
    inputText,
    memoryView: read?.memoryView,
    seenStatus: seen.status,
    wakeCount: seen.wakeCount,
    readAt,
  });
}

/** Nothing can be recorded of a run that nobody has driven and nobody has told anything: a signal may come before its first drive. */
const isUntouched = ({ epoch, wakeCount }: RunRecord): boolean => epoch === 0 && wakeCount === 0;

async function loadInput(run: RunRecord, input: StoredText | undefined, payloads: Payloads): Promise<string> {
  if (input) return payloads.load(input);
  throw new AgentError(
    'PAYLOAD_MISSING',
    `The input of run "${run.runId}" is not in the store. Send the request again.`,
  );
}

async function drive(options: DriveOptions, plan: AgentPlan, claimed: ClaimedRun): Promise<DriveResult> {
  const { plans, ports, deadline } = options;
  const { run, journal, seenOrdinals, inputText, memoryView } = claimed;
  const { clock } = ports;
  const { config } = plan;
  const payloads = new Payloads(ports.payloads, run.runId, config['payload.max-bytes']);
  const runs = new RunStore(ports.items);
  const journalStore = new JournalStore(ports.items, run.runId, run.ttl);
  const lease = new DriveLease({
    runs,
    clock,
    run,
    leaseMillis: config['run.lease-millis'],
    deadline,
  });
  const recorder = new FactRecorder({
    journal: journalStore,
    payloads,
    lease,
    writer: run.owner ?? '',
  });
  const tracer = new RunTracer(ports.trace, clock, run);
  const changed = new Signal();
  const state = new DriveState({
    journal,
    recorder,
    lease,
    times: driveTimes(clock.now(), deadline),
    stayMillis: config['run.stay-millis'],
    clock,
    tracer,
    order: new OrderLog(seenOrdinals, changed),
    changed,
  });
  const loadShortTerm = async (): Promise<MemoryContents> =>
    isKeyed(run) ? new KeyMemory({ ports, config, run, payloads }).load(memoryView) : {};
  traceRun(ports, run, { kind: 'driven' });
  const outcome = await new RunEngine({
    plan,
    runId: run.runId,
    key: run.key,
    lifeEpoch: run.lifeEpoch ?? 0,
    inputText,
    seenOrdinals,
    loadShortTerm,
    state,
    world: { store: journalStore, wakeCount: claimed.wakeCount, readAt: claimed.readAt },
    suspend: { runs, run, endOfAge: endOfAge(run.createdAt, config), pollers: pollersOf(options, config, run) },
    subagents: {
      run: { plans, ports, runId: run.runId, ttl: run.ttl },
      agent: run.agent,
      key: run.key,
      maxBytes: config['payload.max-bytes'],
      createToken: ports.createToken,
      wasSuspended: claimed.seenStatus === 'SUSPENDED',
    },
  }).run();
  return settleDrive({ plans, ports, config, run, newFacts: recorder.recordedFacts }, outcome);
}

/** Ends a run that is not to be driven again. */
async function conclude(
  plans: PlanSet,
  ports: DrivePorts,
  seen: RunRecord,
  outcome: RunOutcome,
  error?: unknown,
): Promise<DriveResult> {
  const now = ports.clock.now();
  const claimed = await new RunStore(ports.items).claim(seen, concludeChange(seen, outcome, now, error), now);
  // The end may be ours, when the client repeated the request, or somebody else's: anybody may finish it.
  if (claimed.kind === 'refused' && claimed.run?.status !== 'COMPLETING')
    return { kind: 'dropped', why: 'somebody else took the run' };
  return ended(await endRun(plans, ports, seen.runId));
}

const ended = (outcome: RunOutcome | undefined): DriveResult =>
  outcome === undefined ? { kind: 'dropped', why: 'the run has ended' } : { kind: 'ended', outcome };

const unknownAgent = (run: RunRecord): EngineOutcome => ({
  kind: 'mismatch',
  error: new ReplayMismatchError(
    `There is no agent "${run.agent}" in this deployment. Deploy it, then redrive the run.`,
  ),
});
