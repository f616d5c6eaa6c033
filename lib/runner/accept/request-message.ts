import * as z from 'zod';
import { AgentError } from '../../errors/agent-error.ts';
import { checkId } from '../../store/keys.ts';
import { MAX_NESTING } from '../../values/plain-data.ts';
import { issuesText } from './issues-text.ts';

/** A message of the request queue. */
export interface RequestMessage {
  readonly messageId: string;
  /** Message group: the order in which requests are accepted, nothing else. */
  readonly groupId: string;
  readonly sequenceNumber: string;
  readonly body: string;
}

/** Why a message cannot be accepted: attribute `reason` in the dead-letter queue. */
export type RefusalReason =
  | 'NOT_JSON'
  | 'SNS_ENVELOPE'
  | 'INVALID_REQUEST'
  | 'FORBIDDEN_CHARACTER'
  | 'FORBIDDEN_MEMBER'
  | 'TOO_DEEP'
  | 'UNKNOWN_AGENT'
  | 'INVALID_INPUT'
  | 'UNKNOWN_RUN'
  | 'INVALID_TOKEN'
  | 'REQUEST_ID_REUSED';

export interface Refusal {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  /** The fact and the remedy, at most 1,000 characters. */
  readonly detail: string;
}

const id = z.string().superRefine((value, context) => {
  try {
    checkId('it', value);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

const runRequest = z.strictObject({
  agent: z.string(),
  key: id.optional(),
  requestId: id.optional(),
  input: z.unknown(),
  traceparent: z
    .string()
    .regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/, 'must be a W3C traceparent')
    .optional(),
});
const cancelRequest = z.strictObject({ cancel: z.strictObject({ requestId: id }) });
const redriveRequest = z.strictObject({ redrive: z.strictObject({ requestId: id }) });

const signalRequest = z.strictObject({
  signal: z.strictObject({ requestId: id, name: id, value: z.unknown().optional(), token: id.optional() }),
});

export type RunRequest = z.output<typeof runRequest>;
export type SignalRequest = z.output<typeof signalRequest>['signal'];

export type ParsedRequest =
  | { readonly kind: 'run'; readonly request: RunRequest }
  | { readonly kind: 'signal'; readonly signal: SignalRequest }
  | { readonly kind: 'cancel'; readonly runId: string }
  | { readonly kind: 'redrive'; readonly runId: string }
  | Refusal;

/** The dead-letter queue carries the detail beside a body of up to 1 MiB. */
const MAX_DETAIL_LENGTH = 1_000;

export const refuse = (reason: RefusalReason, detail: string): Refusal => ({
  kind: 'refused',
  reason,
  detail: detail.slice(0, MAX_DETAIL_LENGTH),
});

/** Reads a message's body; unknown fields are refused. */
export function parseRequest(body: string): ParsedRequest {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    return refuse('NOT_JSON', `The message body is no JSON (${String(error)}). Send {"agent": …, "input": …}.`);
  }
  return (isSnsEnvelope(json) ? snsRefusal : undefined) ?? findForbidden(json, 1) ?? parseKind(json);
}

function parseKind(json: unknown): ParsedRequest {
  const has = (member: string): boolean => typeof json === 'object' && json !== null && Object.hasOwn(json, member);
  if (has('signal')) {
    const parsed = signalRequest.safeParse(json);
    return parsed.success ? { kind: 'signal', signal: parsed.data.signal } : invalid(parsed.error);
  }
  if (has('cancel')) {
    const parsed = cancelRequest.safeParse(json);
    return parsed.success ? { kind: 'cancel', runId: parsed.data.cancel.requestId } : invalid(parsed.error);
  }
  if (has('redrive')) {
    const parsed = redriveRequest.safeParse(json);
    return parsed.success ? { kind: 'redrive', runId: parsed.data.redrive.requestId } : invalid(parsed.error);
  }
  if (has('agent') && !has('input'))
    return refuse('INVALID_REQUEST', 'The request has no "input". Send one: null, if its agent needs nothing.');
  const parsed = runRequest.safeParse(json);
  return parsed.success ? { kind: 'run', request: parsed.data } : invalid(parsed.error);
}

const invalid = (error: z.ZodError): Refusal =>
  refuse(
    'INVALID_REQUEST',
    `The message is no request. ${issuesText(error)} Send {"agent", "key"?, "requestId"?, "input", "traceparent"?}, {"signal": {"requestId", "name", "value"?, "token"?}}, {"cancel": {"requestId"}} or {"redrive": {"requestId"}}.`,
  );

const snsRefusal = refuse(
  'SNS_ENVELOPE',
  'The message is wrapped by SNS. Enable raw message delivery on the subscription.',
);

function isSnsEnvelope(json: unknown): boolean {
  return (
    typeof json === 'object' && json !== null && 'Type' in json && json.Type === 'Notification' && 'TopicArn' in json
  );
}

/** What no queue can carry back, members that would change prototypes when somebody merges them, and what no reader can follow. */
function findForbidden(value: unknown, depth: number): Refusal | undefined {
  if (typeof value === 'string') return NON_CHARACTER.test(value) ? nonCharacter : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_NESTING) return tooDeep;
  if (Object.hasOwn(value, '__proto__')) return protoMember;
  for (const [name, member] of Object.entries(value)) {
    const found = NON_CHARACTER.test(name) ? nonCharacter : findForbidden(member, depth + 1);
    if (found) return found;
  }
  return undefined;
}

const NON_CHARACTER = /[\ufffe\uffff]/;
const nonCharacter = refuse('FORBIDDEN_CHARACTER', 'A text holds U+FFFE or U+FFFF, which SQS cannot carry. Remove it.');
const protoMember = refuse('FORBIDDEN_MEMBER', 'An object has a member named "__proto__". Rename it.');
const tooDeep = refuse('TOO_DEEP', `Values stand more than ${MAX_NESTING} deep in each other. Send a flatter request.`);
