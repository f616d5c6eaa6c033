import type { Config } from '../../agent/config.ts';
import type { PlanSet } from '../../agent/plan.ts';
import { AgentError } from '../../errors/agent-error.ts';
import { isTerminal, NotSerializableError } from '../../errors/public-errors.ts';
import { hasEnded, tellRun } from '../../polling/tell-run.ts';
import { JournalStore } from '../../store/journal-store.ts';
import { sequenceKey } from '../../store/keys.ts';
import { Payloads } from '../../store/payloads.ts';
import type { RunRecord } from '../../store/run-record.ts';
import { RunStore } from '../../store/run-store.ts';
import { encodeValue } from '../../values/value-codec.ts';
import type { StorePorts } from '../runner-ports.ts';
import { type Refusal, refuse, type SignalRequest } from './request-message.ts';

export type SignalResult =
  | { readonly kind: 'signalled'; readonly runId: string }
  | { readonly kind: 'nothing-to-do'; readonly runId: string; readonly why: string }
  | Refusal;

/**
 * Records a signal, tells the run, and wakes it if it waits. The record comes first, so that whoever finds the mark finds the signal.
 * May be repeated: the same message writes the same record.
 */
export async function signalRun(
  plans: PlanSet,
  ports: StorePorts,
  signal: SignalRequest,
  sequenceNumber: string,
): Promise<SignalResult> {
  const { requestId: runId, name } = signal;
  const run = await new RunStore(ports.items).get(runId);
  if (run === undefined) {
    return refuse(
      'UNKNOWN_RUN',
      `There is no run ${JSON.stringify(runId)}. Send its request first, then the signal again.`,
    );
  }
  if (hasEnded(run)) return nothing(run);
  const config = plans.configOf(run.agent);
  const refusal = await storeSignal(ports, run, config, {
    name,
    value: signal.value,
    sequence: sequenceKey(sequenceNumber),
  });
  if (refusal) return refusal;
  const told = await tellRun(ports, runId, 'signal');
  if (told === undefined) return { kind: 'nothing-to-do', runId, why: 'it is gone' };
  return hasEnded(told) ? nothing(told) : { kind: 'signalled', runId };
}

const nothing = (run: RunRecord): SignalResult => ({
  kind: 'nothing-to-do',
  runId: run.runId,
  why: `the run is ${run.status}`,
});

async function storeSignal(
  ports: StorePorts,
  run: RunRecord,
  config: Config,
  signal: { readonly name: string; readonly value: unknown; readonly sequence: string },
): Promise<Refusal | undefined> {
  const { name, sequence } = signal;
  try {
    const payloads = new Payloads(ports.payloads, run.runId, config['payload.max-bytes']);
    // A signal without a value is still one: `undefined` means that none came in time.
    const stored = await payloads.save('The value of the signal', encodeValue(signal.value ?? null, 'value'));
    const arrivedAt = ports.clock.now();
    await new JournalStore(ports.items, run.runId, run.ttl).putSignal({ name, sequence, arrivedAt, ...stored });
    return undefined;
  } catch (error) {
    const isRefused = error instanceof NotSerializableError || (error instanceof AgentError && isTerminal(error));
    if (!isRefused) throw error;
    return refuse('INVALID_INPUT', error.message);
  }
}
