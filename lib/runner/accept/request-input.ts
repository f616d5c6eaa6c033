import type { AgentPlan } from '../../agent/plan.ts';
import { NotSerializableError } from '../../errors/public-errors.ts';
import { describeThrown } from '../../values/error-codec.ts';
import { encodeValue } from '../../values/value-codec.ts';
import { issuesText } from './issues-text.ts';
import { type Refusal, type RunRequest, refuse } from './request-message.ts';

export type EncodedInput = { readonly kind: 'encoded'; readonly text: string } | Refusal;

/** What the agent's actions will see, in its stored form. */
export async function encodeInput(plan: AgentPlan, request: RunRequest): Promise<EncodedInput> {
  const input = await parseInput(plan, request);
  if (input.kind === 'refused') return input;
  try {
    return { kind: 'encoded', text: encodeValue(input.value, 'input') };
  } catch (error) {
    if (!(error instanceof NotSerializableError)) throw error;
    return refuse(
      'INVALID_INPUT',
      `The input schema of agent "${plan.name}" makes a value that cannot be stored. ${error.message}`,
    );
  }
}

async function parseInput(
  { name, input: schema }: AgentPlan,
  { input }: RunRequest,
): Promise<{ readonly kind: 'parsed'; readonly value: unknown } | Refusal> {
  if (schema === undefined) return { kind: 'parsed', value: input };
  try {
    const parsed = await schema.safeParseAsync(input);
    if (parsed.success) return { kind: 'parsed', value: parsed.data };
    return refuse(
      'INVALID_INPUT',
      `The input does not fit the schema of agent "${name}". Mend these values:\n${issuesText(parsed.error)}`,
    );
  } catch (error) {
    // A transform or a refinement of the author. The same input would make it throw again, and hold up its group each time.
    const { message } = describeThrown(error);
    return refuse(
      'INVALID_INPUT',
      `The input schema of agent "${name}" threw (${message.slice(0, 300)}). Send another input, or let the schema add an issue instead.`,
    );
  }
}
