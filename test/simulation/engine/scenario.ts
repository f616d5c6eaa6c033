import type { AgentDefinition } from '../../../lib/agent/define-agent.ts';
import type { RunRecord } from '../../../lib/store/run-record.ts';
import type { Answer, ParkedCall, Remote } from './gated-process.ts';
import type { ProcessNode } from './process-tree.ts';
import type { FaultsLeft } from './world.ts';

export interface ScenarioRequest {
  readonly body: unknown;
  /** Message group: requests of a group are accepted in their order. */
  readonly group: string;
  /** Delivered only while this holds. @default always */
  readonly when?: (run: (runId: string) => RunRecord | undefined) => boolean;
}

/**
 * A change of the code under test, at its port: another call is made, or an answer is given without a call.
 * `undefined`: nothing is changed. Depends on nothing but the history of the process.
 */
export type Mutant = (call: ParkedCall, process: ProcessNode) => ParkedCall | Answer | undefined;

/** What is explored: requests, the program, and what may go wrong. */
export interface Scenario {
  readonly requests: readonly ScenarioRequest[];
  /** Every run that the requests name. */
  readonly runIds: readonly string[];
  readonly agents: (remote: Remote) => readonly AgentDefinition[];
  /** What a side effect gives; depends on the run records alone. */
  readonly remote?: (name: string, run: (runId: string) => RunRecord | undefined) => Answer;
  readonly faults: FaultsLeft;
  /** Invocations that are under way at once, at most. */
  readonly maxProcesses: number;
  readonly mutant?: Mutant;
}
