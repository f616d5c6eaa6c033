import { type AgentDefinition, defineAgent } from 'lambda-agents';
import type { SubagentScript } from '../../lib/testing/scripted.ts';

/** A message of the request queue. */
export interface GoldenRequest {
  readonly body: object;
  /** @default one group for all */
  readonly group?: string;
  /** Milliseconds after the beginning. @default 0 */
  readonly afterMillis?: number;
}

/** An agent and what it is sent. */
export interface GoldenProgram {
  readonly agent: AgentDefinition;
  readonly requests: readonly GoldenRequest[];
  /** How sub-agents answer to their hooks. @default as their classes do */
  readonly subagents?: Readonly<Record<string, SubagentScript>>;
  /** What sub-agents report by a message, a minute after they were sent a job. @default nothing */
  readonly reports?: Readonly<Record<string, { readonly result: unknown } | { readonly error: string }>>;
}

/** Tells that the body of a durable call ran: its id. */
export type Effect = (id: string) => void;

/** @param passedMillis time since the program began, the time before a cut included */
export type CreateProgram = (effect: Effect, passedMillis: () => number) => GoldenProgram;

export const HOUR = 3_600_000;

export const golden = () => defineAgent({ name: 'golden' });

export const request = (input: unknown, more: object = {}, sent: Omit<GoldenRequest, 'body'> = {}): GoldenRequest => ({
  body: { agent: 'golden', requestId: 'r', input, ...more },
  ...sent,
});

/** A program of one request. */
export const one = (agent: AgentDefinition, more: Omit<GoldenProgram, 'agent' | 'requests'> = {}): GoldenProgram => ({
  agent,
  requests: [request({ n: 1 })],
  ...more,
});
