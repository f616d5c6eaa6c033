import { AgentError } from '../errors/agent-error.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { UsageError } from './usage-error.ts';

/** A failure that may be expected: the fact, then the remedy. */
export interface Failure {
  readonly message: string;
  readonly exitCode: ExitCode;
}

const ACCESS_DENIED = new Set(['AccessDenied', 'AccessDeniedException', 'AuthorizationError', 'KmsAccessDenied']);
const BAD_CREDENTIALS = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'IncompleteSignature',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'RequestExpired',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
]);
const GONE = new Set(['NoSuchBucket', 'QueueDoesNotExist', 'ResourceNotFoundException']);
const NO_CONNECTION = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

const EXIT_OF_CODE: Readonly<Record<string, ExitCode>> = {
  UNKNOWN_RUN: EXIT.unknownRun,
  PAYLOAD_TOO_LARGE: EXIT.usage,
};

/** What to tell about a failure; `undefined`: it is a bug of ours, and the stack is what helps. */
export function describeFailure(error: unknown): Failure | undefined {
  if (error instanceof UsageError) return { message: error.message, exitCode: EXIT.usage };
  if (error instanceof AgentError) {
    return { message: error.message, exitCode: EXIT_OF_CODE[error.code] ?? EXIT.unavailable };
  }
  if (!(error instanceof Error)) return undefined;
  // The SDK gives its metadata also to errors of a connection that never was.
  const message = describeConnection(error) ?? describeAws(error);
  return message === undefined ? undefined : { message, exitCode: EXIT.unavailable };
}

export const isAccessDenied = (error: unknown): boolean => error instanceof Error && ACCESS_DENIED.has(error.name);

function describeAws(error: Error): string | undefined {
  const { name } = error;
  const said = sentence(error.message);
  if (name === 'CredentialsProviderError') {
    return `No AWS credentials were found: ${said} Sign in, or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;
  }
  if (error.message === 'Region is missing') return 'No AWS region is set. Give --region REGION or set AWS_REGION.';
  if (isAccessDenied(error)) return `AWS denies access: ${said} Ask for that right, or use another profile.`;
  if (BAD_CREDENTIALS.has(name)) {
    return `AWS does not take the credentials (${name}): ${said} Sign in again, or use another profile.`;
  }
  if (GONE.has(name)) return `A part of the deployment is gone (${name}): ${said} Deploy the stack again.`;
  if ('$metadata' in error) return `AWS answered ${name}: ${said} Try again; if it stays, mend what it names.`;
  return undefined;
}

function describeConnection(error: Error): string | undefined {
  const cause = findConnectionError(error, 0);
  if (cause === undefined) return undefined;
  return `There is no connection: ${sentence(cause)} Check the network, the region and the endpoint.`;
}

/** Node wraps the addresses that it tried, the SDK wraps that. */
function findConnectionError(error: unknown, depth: number): string | undefined {
  if (!(error instanceof Error) || depth > 3) return undefined;
  const code = 'code' in error ? String(error.code) : error.name;
  if (NO_CONNECTION.has(code) || error.name === 'TimeoutError') return error.message || code;
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.map((each: unknown) => findConnectionError(each, depth + 1)).find((found) => found !== undefined);
}

/** One line that ends in a full stop. */
function sentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim() || 'no reason was given';
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
