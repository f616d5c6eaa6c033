import type { StateMachineDefinition } from 'aws-local-stepfunctions';
import * as z from 'zod';
import { localStackError } from './local-stack-error.ts';

/** A definition that runs here as it does on AWS. */
export interface MachineDefinition {
  readonly definition: StateMachineDefinition;
  /** The states that call functions. */
  readonly taskNames: readonly string[];
}

// The library's own limit would be a minute; on AWS a task without one waits as long as its function takes.
const LONGEST_TIMER_SECONDS = 2_147_483;

// Branches and iterations would call functions of a real account: only the states of the top level are followed here.
const STATE_TYPES = new Set(['Choice', 'Fail', 'Pass', 'Succeed', 'Task', 'Wait']);
/** What the library leaves out without a word. */
const IGNORED_FIELDS = new Set(['Assign', 'Credentials', 'HeartbeatSeconds', 'HeartbeatSecondsPath']);

const definitionSchema = z.looseObject({
  StartAt: z.string(),
  States: z.record(z.string(), z.looseObject({ Type: z.string(), Resource: z.string().optional() })),
});

/**
 * Reads a definition in Amazon States Language.
 * @param arn for messages
 * @throws AgentError `LOCAL_STACK_FAILED` for what would not run here, or not as on AWS
 */
export function parseMachineDefinition(text: string, arn: string): MachineDefinition {
  const refuse = (problem: string) => localStackError(`State machine ${arn} ${problem}`);
  const parsed: unknown = JSON.parse(text, (field, value: unknown) => {
    if (field === 'QueryLanguage' && value !== 'JSONPath') throw refuse('uses JSONata. Use JSONPath to run it here.');
    if (IGNORED_FIELDS.has(field)) throw refuse(`uses ${field}, which does nothing here. Do without it.`);
    return value;
  });
  const { States: states, ...machine } = definitionSchema.parse(parsed);
  for (const [name, { Type, Resource }] of Object.entries(states)) {
    if (!STATE_TYPES.has(Type)) {
      throw refuse(`has the state "${name}" of type ${Type}, which does not run here. Use a plain sequence of states.`);
    }
    if (Type === 'Task' && !Resource?.endsWith(':states:::lambda:invoke')) {
      throw refuse(`calls something else than a function in the state "${name}". Use lambda:invoke.`);
    }
  }
  const patient = Object.entries(states).map(([name, state]) => [
    name,
    state.Type === 'Task' ? { TimeoutSeconds: LONGEST_TIMER_SECONDS, ...state } : state,
  ]);
  return {
    // The library checks the rest.
    definition: { ...machine, States: Object.fromEntries(patient) } as StateMachineDefinition,
    taskNames: Object.keys(states).filter((name) => states[name]?.Type === 'Task'),
  };
}
