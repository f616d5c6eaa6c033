import type { AgentPlan, PlanSet } from '../../agent/plan.ts';
import { AgentError } from '../../errors/agent-error.ts';
import { isTerminal } from '../../errors/public-errors.ts';
import { JournalStore } from '../../store/journal-store.ts';
import { Payloads } from '../../store/payloads.ts';
import { isFinal, type RunRecord } from '../../store/run-record.ts';
import { RunStore } from '../../store/run-store.ts';
import { isKeyed, KeyOrder } from '../key/key-order.ts';
import type { AcceptPorts } from '../runner-ports.ts';
import { completeCall } from './complete-call.ts';
import { newRun } from './new-run.ts';
import { redriveRun } from './redrive-run.ts';
import { encodeInput } from './request-input.ts';
import { parseRequest, type Refusal, type RequestMessage, type RunRequest, refuse } from './request-message.ts';
import { signalRun } from './signal-run.ts';

export type AcceptResult =
  /** The run is recorded and woken. `again`: it was before. */
  | { readonly kind: 'accepted'; readonly runId: string; readonly again: boolean }
  /** The run waits behind others of its key. */
  | { readonly kind: 'parked'; readonly runId: string }
  /** The signal is recorded and its run told. */
  | { readonly kind: 'signalled'; readonly runId: string }
  | { readonly kind: 'cancel-marked'; readonly runId: string }
  | { readonly kind: 'redriven'; readonly runId: string }
  /** There is nothing to signal, to cancel or to redrive. */
  | { readonly kind: 'nothing-to-do'; readonly runId: string; readonly why: string }
  /** The message is in the dead-letter queue. */
  | Refusal;

/** Takes one message: records its run, parks it or wakes it. May be repeated: the same request never starts a second run. */
export async function acceptRequest(
  plans: PlanSet,
  ports: AcceptPorts,
  message: RequestMessage,
): Promise<AcceptResult> {
  const parsed = parseRequest(message.body);
  const result = await acceptParsed(plans, ports, message, parsed);
  if (result.kind === 'refused') {
    const { messageId, groupId, body } = message;
    await ports.deadLetters.send({ messageId, groupId, body, reason: result.reason, detail: result.detail });
  }
  return result;
}

async function acceptParsed(
  plans: PlanSet,
  ports: AcceptPorts,
  message: RequestMessage,
  parsed: ReturnType<typeof parseRequest>,
): Promise<AcceptResult> {
  switch (parsed.kind) {
    case 'run': {
      const plan = plans.get(parsed.request.agent);
      if (plan) return acceptRun(plan, ports, message, parsed.request);
      // A name has at most 64 characters.
      const asked = JSON.stringify(parsed.request.agent.slice(0, 100));
      return refuse('UNKNOWN_AGENT', `There is no agent ${asked} here. Use one of: ${[...plans.keys()].join(', ')}.`);
    }
    case 'signal': {
      const { signal } = parsed;
      // A token says that it completes the call of a sub-agent.
      if (signal.token !== undefined) return completeCall(plans, ports, signal, signal.token);
      return signalRun(plans, ports, signal, message.sequenceNumber);
    }
    case 'cancel':
      return cancelRun(ports, parsed.runId);
    case 'redrive':
      return redriveRun(plans, ports, parsed.runId);
    case 'refused':
      return parsed;
  }
}

async function acceptRun(
  plan: AgentPlan,
  ports: AcceptPorts,
  message: RequestMessage,
  request: RunRequest,
): Promise<AcceptResult> {
  const input = await encodeInput(plan, request);
  if (input.kind === 'refused') return input;
  const now = ports.clock.now();
  const runs = new RunStore(ports.items);
  const { run, inputApart } = newRun({ plan, message, request, inputText: input.text, now });
  const answer = (known: RunRecord) =>
    known.digest === run.digest ? startRun(plan, ports, known, true) : reused(run.runId);
  if (inputApart) {
    // Before anything is stored: a request that is refused leaves nothing in the run whose id it has.
    const known = await runs.get(run.runId);
    if (known && known.ttl >= Math.floor(now / 1000)) return answer(known);
    const refusal = await storeInput(plan, ports, run, input.text, now);
    if (refusal) return refusal;
  }
  const created = await runs.create(run, now);
  if (created.kind === 'written') return startRun(plan, ports, run, false);
  if (created.run === undefined) throw new Error(`Run ${run.runId} was deleted while its request came again.`);
  return answer(created.run);
}

/** A1. */
async function storeInput(
  plan: AgentPlan,
  ports: AcceptPorts,
  run: RunRecord,
  text: string,
  now: number,
): Promise<Refusal | undefined> {
  try {
    const payloads = new Payloads(ports.payloads, run.runId, plan.config['payload.max-bytes']);
    const stored = await payloads.save('The input', text);
    const result = await new JournalStore(ports.items, run.runId, run.ttl).putInput(
      { ...stored, digest: run.digest },
      now,
    );
    return result.kind === 'exists' && result.digest !== run.digest ? reused(run.runId) : undefined;
  } catch (error) {
    if (!(error instanceof AgentError && isTerminal(error))) throw error;
    return refuse('INVALID_INPUT', error.message);
  }
}

const reused = (runId: string): Refusal =>
  refuse(
    'REQUEST_ID_REUSED',
    `The request id ${JSON.stringify(runId)} belongs to a request with another agent, key or input. Send this one with an id of its own.`,
  );

/** A3 to A6. A run that is under way already needs nothing. */
async function startRun(plan: AgentPlan, ports: AcceptPorts, run: RunRecord, again: boolean): Promise<AcceptResult> {
  const { runId } = run;
  const waits = run.status === 'PARKED' || (run.status === 'RUNNING' && run.epoch === 0);
  if (!waits) return { kind: 'accepted', runId, again };
  if (run.status === 'PARKED' && isKeyed(run)) {
    const taken = await new KeyOrder(ports, plan.config).take(run);
    if (taken.kind === 'parked') return { kind: 'parked', runId };
    if (taken.kind === 'moved-on') return { kind: 'accepted', runId, again };
  }
  await ports.wakes.send({ runId, reason: 'accepted' });
  return { kind: 'accepted', runId, again };
}

async function cancelRun(ports: AcceptPorts, runId: string): Promise<AcceptResult> {
  const now = ports.clock.now();
  const result = await new RunStore(ports.items).markCancelled(runId, now);
  if (result.kind === 'refused') {
    const why = result.run === undefined ? 'there is no such run' : `the run is ${result.run.status}`;
    return { kind: 'nothing-to-do', runId, why: isFinal(result.run?.status ?? 'FAILED') ? why : `${why} already` };
  }
  // A driver finds the mark at its next write.
  if ((result.run.leaseUntil ?? 0) <= now) await ports.wakes.send({ runId, reason: 'cancel' });
  return { kind: 'cancel-marked', runId };
}
