import type { EventDefinition } from '../events/define-event.ts';
import type { BuiltInEventType, Event, EventType, InputEvent } from '../events/event.ts';

/** What starts an action: a built-in event type, a custom event, or the exact type of one as text. */
export type Trigger = BuiltInEventType | EventDefinition | (string & {});

/** One trigger, or several of which each starts the action. */
export type Triggers = Trigger | readonly Trigger[];

/** The event that a trigger delivers. `Input` is the agent's parsed input. */
export type EventOf<T extends Triggers, Input> = T extends readonly (infer Member)[]
  ? EventOfOne<Member, Input>
  : EventOfOne<T, Input>;

type EventOfOne<T, Input> =
  T extends EventDefinition<infer Type, infer Schema>
    ? Event<Type, Schema['_output']>
    : T extends typeof EventType.InputEvent
      ? InputEvent<Input>
      : Event;
