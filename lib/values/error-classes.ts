import { AgentError, type AgentErrorCode } from '../errors/agent-error.ts';
import {
  CallInterruptedError,
  CallTimeoutError,
  NotSerializableError,
  ReplayMismatchError,
  SubagentCancelledError,
  TerminalAgentError,
  TerminalError,
} from '../errors/public-errors.ts';

type ErrorClass = readonly [name: string, prototype: object, build: (message: string, code: AgentErrorCode) => Error];

/** The names are part of the journal's format, and a bundler may rename the classes. */
const BUILT_IN: readonly ErrorClass[] = [
  ['TypeError', TypeError.prototype, (message) => new TypeError(message)],
  ['RangeError', RangeError.prototype, (message) => new RangeError(message)],
  ['SyntaxError', SyntaxError.prototype, (message) => new SyntaxError(message)],
  ['ReferenceError', ReferenceError.prototype, (message) => new ReferenceError(message)],
  ['EvalError', EvalError.prototype, (message) => new EvalError(message)],
  ['URIError', URIError.prototype, (message) => new URIError(message)],
  ['AggregateError', AggregateError.prototype, (message) => new AggregateError([], message)],
];
const PUBLIC: readonly ErrorClass[] = [
  ['TerminalError', TerminalError.prototype, (message) => new TerminalError(message)],
  ['TerminalAgentError', TerminalAgentError.prototype, (message, code) => new TerminalAgentError(code, message)],
  ['AgentError', AgentError.prototype, (message, code) => new AgentError(code, message)],
  ['CallInterruptedError', CallInterruptedError.prototype, (message) => new CallInterruptedError(message)],
  ['CallTimeoutError', CallTimeoutError.prototype, (message) => new CallTimeoutError(message)],
  ['ReplayMismatchError', ReplayMismatchError.prototype, (message) => new ReplayMismatchError(message)],
  ['SubagentCancelledError', SubagentCancelledError.prototype, (message) => new SubagentCancelledError(message)],
  ['NotSerializableError', NotSerializableError.prototype, (message) => new NotSerializableError(message)],
];

const NAMES = new Map([...BUILT_IN, ...PUBLIC].map(([name, prototype]) => [prototype, name]));
const BUILT_IN_NAMES = new Set(BUILT_IN.map(([name]) => name));
const BUILDERS = new Map([...BUILT_IN, ...PUBLIC].map(([name, , build]) => [name, build]));

/** The public or built-in class that an error is an instance of, the nearest one; `undefined`: none but `Error`. */
export function errorClassOf(error: object): string | undefined {
  const prototypes = [...prototypesOf(error)];
  const own = prototypes.find((prototype) => NAMES.has(prototype));
  if (own) return NAMES.get(own);
  if (error instanceof Error) return undefined;
  // The classes of another realm (`node:vm`) are others of the same names.
  return prototypes.map((prototype) => prototype.constructor.name).find((name) => BUILT_IN_NAMES.has(name));
}

function* prototypesOf(object: object): Generator<object> {
  for (let next = Object.getPrototypeOf(object); next !== null; next = Object.getPrototypeOf(next)) yield next;
}

/** An error of that class; without one, or with one that this version does not know, an `Error`. */
export function buildError(className: string | undefined, message: string, code: unknown): Error {
  const build = BUILDERS.get(className ?? '');
  return build?.(message, (typeof code === 'string' ? code : 'INVALID_CALL') as AgentErrorCode) ?? new Error(message);
}
