import { decodeValue } from '../../values/value-codec.ts';
import type { MemoryWrites } from './run-memory.ts';

/** An event as it was sent: its type and the stored form of its attributes. */
export interface EmittedEvent {
  readonly type: string;
  readonly text: string;
}

/** What a finished action leaves behind. */
export interface ActionBody {
  readonly events: readonly EmittedEvent[];
  readonly sensory: MemoryWrites;
  readonly shortTerm: MemoryWrites;
}

/** Stored names, part of the journal's format. */
interface StoredBody {
  readonly ev?: readonly (readonly [type: string, text: string])[];
  readonly se?: MemoryWrites;
  readonly sm?: MemoryWrites;
}

const isEmpty = (writes: MemoryWrites): boolean => Object.keys(writes).length === 0;

export function encodeBody(body: ActionBody): string {
  const stored: StoredBody = {
    ...(body.events.length > 0 ? { ev: body.events.map(({ type, text }) => [type, text] as const) } : {}),
    ...(isEmpty(body.sensory) ? {} : { se: body.sensory }),
    ...(isEmpty(body.shortTerm) ? {} : { sm: body.shortTerm }),
  };
  return JSON.stringify(stored);
}

export function decodeBody(text: string): ActionBody {
  const stored = JSON.parse(text) as StoredBody;
  return {
    events: (stored.ev ?? []).map(([type, attributes]) => ({ type, text: attributes })),
    sensory: stored.se ?? {},
    shortTerm: stored.sm ?? {},
  };
}

/** The attributes of an emitted event, a fresh copy at each call. */
export const attributesOf = (event: EmittedEvent): Readonly<Record<string, unknown>> =>
  decodeValue(event.text) as Readonly<Record<string, unknown>>;
