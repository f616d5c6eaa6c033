import { toSubagentCall } from '../../polling/call-of-entry.ts';
import { type CallRecord, journalSlot } from '../../store/journal.ts';
import type { PlannedSubagent } from '../../subagents/plan-subagent.ts';
import type { SubagentCall } from '../../subagents/subagent-call.ts';
import { fromPlainResult } from '../../subagents/subagent-result.ts';
import { decodeValue } from '../../values/value-codec.ts';
import type { RemoteJob } from './remote-job.ts';
import type { OpenSlot } from './slots.ts';

/** One submitted call of a sub-agent in this drive. */
export class OpenCall {
  /** Its place, at which the stored answer is shown as a `SubagentResult`. */
  readonly open: OpenSlot;
  readonly planned: PlannedSubagent;
  /** Stored form of the prompt as it was given: what its author or a hook does with the object later changes no job. */
  readonly promptText: string;
  readonly sessionId: string;
  readonly callId: string;
  /** The one that it was submitted with, if it was. */
  readonly intervalMillis: number;
  /** What is under way at the remote: the submission, the cancellation. */
  underWay: Promise<unknown> = Promise.resolve();
  job: RemoteJob | undefined;
  /** It was given up in an earlier drive. */
  cancelledBefore: CallRecord | undefined;
  /** Why it could not be submitted; it fails the attempt when somebody waits for it. */
  problem: { readonly error: unknown } | undefined;
  isAwaited = false;
  /** User code has cancelled it. */
  isGivenUp = false;
  isSettled = false;
  /** The remote was asked to stop. */
  isCleanedUp = false;

  constructor(of: Pick<OpenCall, 'open' | 'planned' | 'promptText' | 'sessionId' | 'callId' | 'intervalMillis'>) {
    const { resolve, reject } = of.open;
    this.open = {
      ...of.open,
      resolve: (stored) => {
        this.isSettled = true;
        resolve(fromPlainResult(stored));
      },
      reject: (thrown) => {
        this.isSettled = true;
        reject(thrown);
      },
    };
    this.planned = of.planned;
    this.promptText = of.promptText;
    this.sessionId = of.sessionId;
    this.callId = of.callId;
    this.intervalMillis = of.intervalMillis;
  }

  get actionId(): string {
    return this.open.action.queued.id;
  }

  /** What a hook sees: a copy of its own. @param token of its record */
  toSubagentCall(runId: string, token: string): SubagentCall {
    const { promptText, sessionId, callId } = this;
    const prompt = decodeValue(promptText);
    const name = journalSlot(this.actionId, this.open.slot);
    return toSubagentCall({ runId, prompt, sessionId, callId, token, name });
  }
}
