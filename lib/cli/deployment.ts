import type { ItemStore } from '../ports/item-store.ts';
import type { PayloadStore } from '../ports/payload-store.ts';

/** What a sender may add to a message; nothing of ours reads it in requests. */
export interface MessageAttribute {
  readonly DataType: string;
  readonly StringValue?: string;
  readonly BinaryValue?: Uint8Array;
}

/** A message for the request queue. */
export interface OutgoingRequest {
  readonly body: string;
  /** Printable ASCII, at most 128 characters. */
  readonly groupId: string;
  /** Equal ids within five minutes are one message. */
  readonly deduplicationId: string;
  /** @default none */
  readonly attributes?: Readonly<Record<string, MessageAttribute>>;
}

export interface RequestQueue {
  /**
   * Gives the id of the message.
   * @throws AgentError `PAYLOAD_TOO_LARGE`
   */
  send(request: OutgoingRequest): Promise<string>;
}

/** A message of the requests' dead-letter queue. */
export interface DeadLetter {
  readonly messageId: string;
  /** Names the message to the queue until its hiding ends. */
  readonly receipt: string;
  /** De-duplication id: of a message that SQS moved here by itself, the id of the first message. */
  readonly deduplicationId: string;
  readonly groupId: string;
  readonly body: string;
  /** Why it was refused; without it our code never answered. */
  readonly refusal?: {
    readonly reason: string;
    readonly detail: string;
    /** Id of the message that was refused. */
    readonly messageId: string | undefined;
  };
  readonly attributes: Readonly<Record<string, MessageAttribute>>;
}

/** The requests' dead-letter queue, as an operator looks into it. */
export interface DeadLetterBox {
  /** Takes up to ten messages and hides them for a minute; none: nothing more is visible. */
  receive(): Promise<readonly DeadLetter[]>;
  delete(letter: DeadLetter): Promise<void>;
  /** Makes messages visible again at once, where that is allowed. */
  release(letters: readonly DeadLetter[]): Promise<void>;
  /** About how many messages wait that nobody holds. */
  countVisible(): Promise<number>;
}

/** A running deployment, as the commands use it. */
export interface Deployment {
  /** For messages: `stack "Agents"`. */
  readonly name: string;
  readonly items: ItemStore;
  readonly payloads: PayloadStore;
  readonly requests: RequestQueue;
  readonly deadLetters: DeadLetterBox;
  close(): void;
}

/** Which deployment is meant. */
export interface DeploymentChoice {
  /** Name of a CloudFormation stack. */
  readonly stack?: string | undefined;
  readonly region?: string | undefined;
  /** Where every service is, for emulators. */
  readonly endpointUrl?: string | undefined;
  /** State directory of a local stack. */
  readonly state?: string | undefined;
}
