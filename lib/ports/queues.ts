/** Why a run is woken. A hint for the log; nothing is decided from it. */
export type WakeReason =
  | 'accepted'
  | 'handed-over'
  | 'retry'
  | 'continue'
  | 'cancel'
  | 'redrive'
  | 'signal'
  | 'answer'
  | 'timer'
  | 'due';

export interface Wake {
  readonly runId: string;
  readonly reason: WakeReason;
}

/** Standard queue: messages may be lost, late, doubled or reordered without harm. */
export interface WakeQueue {
  /** @param delaySeconds whole seconds, 0 to 900. @default 0 */
  send(wake: Wake, delaySeconds?: number): Promise<void>;
}

export interface OutputMessage {
  /** Unit of order: printable ASCII, at most 128 characters. */
  readonly groupId: string;
  /** Equal ids within five minutes are one message: printable ASCII, at most 128 characters. */
  readonly deduplicationId: string;
  readonly body: string;
}

/** FIFO queue with the outputs and the final status of each run. */
export interface OutputQueue {
  /** Resolves when every message is accepted. May be repeated with the same ids. */
  send(messages: readonly OutputMessage[]): Promise<void>;
}

export interface RefusedMessage {
  readonly messageId: string;
  readonly groupId: string;
  readonly body: string;
  /** A code such as `UNKNOWN_AGENT`, kept as message attribute `reason`. */
  readonly reason: string;
  /** The fact and the remedy, kept as message attribute `detail`. */
  readonly detail: string;
}

/** Where requests go that cannot be accepted, with their reason. */
export interface DeadLetterQueue {
  send(message: RefusedMessage): Promise<void>;
}
