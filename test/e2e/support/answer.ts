import type { ReceivedMessage } from './queue-receiver.ts';

/** Everything that a receiver got about one request. */
export interface Answer {
  readonly status: string;
  readonly error?: unknown;
  readonly outputs: readonly unknown[];
  /** All messages as they came. */
  readonly messages: readonly unknown[];
}

/** A message of the output queue: an output with its event id, or the status that ends a run. */
interface OutputMessage {
  readonly requestId: string;
  readonly key?: string;
  readonly eventId?: string;
  readonly output?: unknown;
  readonly status?: string;
  readonly error?: unknown;
}

const toMessage = ({ text }: ReceivedMessage) => JSON.parse(text) as OutputMessage;

/** The messages about one request. @throws Error while its end is not among them */
export function answerIn(received: readonly ReceivedMessage[], requestId: string): Answer {
  const messages = received.map(toMessage).filter((message) => message.requestId === requestId);
  // The last one: a run that was redriven has ended twice.
  const end = messages.findLast(({ status }) => status !== undefined);
  if (end?.status === undefined) throw new Error(`Request ${requestId} was not answered.`);
  const outputs = messages.filter(({ eventId }) => eventId !== undefined).map(({ output }) => output);
  return { status: end.status, error: end.error, outputs, messages };
}

/** How the runs ended, in the order in which that was received. */
export function endsIn(
  received: readonly ReceivedMessage[],
): readonly { readonly requestId: string; readonly key?: string; readonly status: string }[] {
  return received
    .map(toMessage)
    .flatMap(({ status, ...message }) => (status === undefined ? [] : [{ ...message, status }]));
}
