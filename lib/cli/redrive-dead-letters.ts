import { AgentError } from '../errors/agent-error.ts';
import { parseRequest } from '../runner/accept/request-message.ts';
import type { CommandContext } from './command.ts';
import { type Visit, visitDeadLetters } from './dead-letters.ts';
import type { DeadLetter, Deployment } from './deployment.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { oneLine } from './plain-text.ts';
import { renderTable } from './table.ts';

/** What a message asks for, and the run that it is about. */
interface Prepared {
  readonly body: string;
  readonly runId: string;
}

/** Sends every request again that was never answered. One that was refused would be refused again: it is listed and stays. */
export async function redriveDeadLetters(
  { requests, deadLetters, name }: Pick<Deployment, 'requests' | 'deadLetters' | 'name'>,
  { terminal }: Pick<CommandContext, 'terminal'>,
): Promise<ExitCode> {
  const staying: (readonly string[])[] = [];
  let sent = 0;
  const visit = async (letter: DeadLetter): Promise<Visit> => {
    const { body, runId } = prepare(letter);
    if (letter.refusal !== undefined) {
      staying.push([letter.refusal.messageId ?? letter.messageId, letter.refusal.reason, letter.refusal.detail]);
      return 'kept';
    }
    try {
      const { groupId, messageId: deduplicationId, attributes } = letter;
      // The id of the dead letter: sent twice, because the command died before it deleted the first, it is one message still.
      await requests.send({ body, groupId, deduplicationId, attributes });
    } catch (error) {
      if (!(error instanceof AgentError && error.code === 'PAYLOAD_TOO_LARGE')) throw error;
      staying.push([letter.messageId, error.code, error.message]);
      return 'kept';
    }
    await deadLetters.delete(letter);
    sent += 1;
    terminal.out(oneLine(runId));
    return 'deleted';
  };
  const unseen = await visitDeadLetters(deadLetters, visit);
  if (sent === 0) terminal.err(`No request waits in the dead-letter queue of ${name} that was never answered.`);
  if (staying.length > 0) {
    terminal.err(
      `Left in the queue, mend and send them again:\n${renderTable(['MESSAGE', 'REASON', 'DETAIL'], staying, undefined)}`,
    );
  }
  if (unseen > 0)
    terminal.err(`About ${unseen} more stand behind these in their groups. Remove these, then try again.`);
  return EXIT.done;
}

/** A run without a request id has the id of its first message, which a copy of the message would not have. */
function prepare({ body, deduplicationId }: DeadLetter): Prepared {
  const parsed = parseRequest(body);
  switch (parsed.kind) {
    case 'cancel':
    case 'redrive':
      return { body, runId: parsed.runId };
    case 'signal':
      return { body, runId: parsed.signal.requestId };
    case 'run': {
      const { requestId } = parsed.request;
      if (requestId !== undefined) return { body, runId: requestId };
      return { body: JSON.stringify({ ...parsed.request, requestId: deduplicationId }), runId: deduplicationId };
    }
    case 'refused':
      // It will be refused with its reason, which it does not have here.
      return { body, runId: deduplicationId };
  }
}
