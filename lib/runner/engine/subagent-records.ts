import type { PolledRun } from '../../polling/poll-ports.ts';
import { storeAnswer } from '../../polling/settle-call.ts';
import type { CallRecord, CallStatus } from '../../store/journal.ts';
import { JournalStore } from '../../store/journal-store.ts';
import { Payloads } from '../../store/payloads.ts';
import { PollStore } from '../../store/poll-store.ts';
import type { StoredText } from '../../store/stored-text.ts';
import type { SubagentResult } from '../../subagents/subagent-result.ts';
import type { OpenCall } from './open-call.ts';

/** A prompt up to this size stands in the call's entry, which each round reads; a longer one is loaded by who needs it. */
const INLINE_PROMPT_BYTES = 1_024;

/** What a driver writes about the calls of sub-agents, besides their places in its journal. */
export class SubagentRecords {
  readonly #run: PolledRun;
  readonly #agent: string;
  readonly #journal: JournalStore;
  readonly #polls: PollStore;
  readonly #payloads: Payloads;

  /** @param maxBytes largest stored value in UTF-8 bytes */
  constructor(run: PolledRun, agent: string, maxBytes: number) {
    const { ports, runId, ttl } = run;
    this.#run = run;
    this.#agent = agent;
    this.#journal = new JournalStore(ports.items, runId, ttl);
    this.#polls = new PollStore(ports.items, runId, ttl);
    this.#payloads = new Payloads(ports.payloads, runId, maxBytes);
  }

  /** P1: the remote has the job. */
  async enter(call: OpenCall, { token = '' }: CallRecord): Promise<void> {
    const { actionId, planned, sessionId, callId, intervalMillis, open } = call;
    await this.#polls.putEntry({
      intervalMillis,
      ordinal: open.ordinal,
      agent: this.#agent,
      subagent: planned.name,
      actionId,
      slot: open.slot,
      sessionId,
      callId,
      token,
      prompt: await this.#storePrompt(call.promptText),
      startedAt: this.#run.ports.clock.now(),
    });
  }

  /** Nothing is left to be done about the job. */
  async forget({ open, intervalMillis }: OpenCall): Promise<void> {
    await this.#polls.deleteEntry({ intervalMillis, ordinal: open.ordinal });
  }

  /** What stands in the call's slot now. */
  read({ actionId, open }: OpenCall): Promise<CallRecord | undefined> {
    return this.#journal.getCall(actionId, open.slot);
  }

  /** Nobody waits for the call any more: CANCELLED, unless it has an outcome. @returns what stands there then */
  abandon({ actionId, open }: OpenCall): Promise<CallStatus | undefined> {
    const endedAt = this.#run.ports.clock.now();
    return this.#journal.settleOutside({ actionId, slot: open.slot }, { status: 'CANCELLED', endedAt });
  }

  async storeAnswer(answer: SubagentResult): Promise<StoredText> {
    const { status: _, ...stored } = await storeAnswer(this.#payloads, answer);
    return stored;
  }

  async #storePrompt(text: string): Promise<StoredText> {
    if (Buffer.byteLength(text) <= INLINE_PROMPT_BYTES) return { text };
    return { reference: JSON.stringify(await this.#payloads.saveOutside(text)) };
  }
}
