/** Attributes of an event: a map of JSON-like values. */
export type Attributes = Readonly<Record<string, unknown>>;

/**
 * What happened. `id` is derived from its place in the run, so a replay makes the same one.
 * `upstreamEventId` and `upstreamActionName` name where it came from; an input event has neither.
 * (Flink Agents: `Event`, with a random id there.)
 */
export interface Event<Type extends string = string, A = Attributes> {
  readonly id: string;
  readonly type: Type;
  readonly attributes: A;
  readonly upstreamEventId?: string;
  readonly upstreamActionName?: string;
}

/** An event before it is sent: it gets its id and lineage from `ctx.sendEvent`. */
export interface EventDraft<Type extends string = string, A = Attributes> {
  readonly kind: 'custom';
  readonly type: Type;
  readonly attributes: A;
}

/** A result of the run, before it is sent. */
export interface OutputDraft<Output> {
  readonly kind: 'output';
  readonly type: typeof EventType.OutputEvent;
  readonly attributes: { readonly output: Output };
}

/** The built-in event types, as Flink Agents spells them. */
export const EventType = {
  /** The run's input: `event.input`. */
  InputEvent: '_input_event',
  /** A result of the run. Goes out and triggers nothing. */
  OutputEvent: '_output_event',
} as const;

export type BuiltInEventType = (typeof EventType)[keyof typeof EventType];

/** The event that starts a run. `input` is `attributes.input`, parsed by the agent's `input` schema. */
export interface InputEvent<Input = unknown> extends Event<typeof EventType.InputEvent, { readonly input: Input }> {
  readonly input: Input;
}

/** A result of the run. @example ctx.sendEvent(OutputEvent({ total: 3 })) */
export function OutputEvent<const Output>(output: Output): OutputDraft<Output> {
  return { kind: 'output', type: EventType.OutputEvent, attributes: { output } };
}
