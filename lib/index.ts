export type { Config, ConfigInput, ConfigKey } from './agent/config.ts';
export {
  type ActionDeclaration,
  type AgentBuilder,
  type AgentDefinition,
  type AgentOptions,
  type ContextOf,
  type DefinedAction,
  defineAction,
  defineAgent,
} from './agent/define-agent.ts';
export { definePrompt, type Prompt } from './agent/prompt.ts';
export { ResourceType } from './agent/resource.ts';
export type { Memory, RunnerContext } from './agent/runner-context.ts';
export type { EventOf, Trigger, Triggers } from './agent/trigger.ts';
export type { DurableCall, RetryPolicy } from './durable/durable-call.ts';
export type { SignalOptions, SleepOptions } from './durable/wait-options.ts';
export { AgentError, type AgentErrorCode } from './errors/agent-error.ts';
export {
  CallInterruptedError,
  CallTimeoutError,
  NotSerializableError,
  ReplayMismatchError,
  SubagentCancelledError,
  TerminalAgentError,
  TerminalError,
} from './errors/public-errors.ts';
export { defineEvent, type EventDefinition } from './events/define-event.ts';
export {
  type Attributes,
  type Event,
  type EventDraft,
  EventType,
  type InputEvent,
  type OutputDraft,
  OutputEvent,
} from './events/event.ts';
export { AsyncSubagentSetup } from './subagents/async-subagent-setup.ts';
export { RunStatus } from './subagents/run-status.ts';
export type { SubagentCall, SubagentCompletion } from './subagents/subagent-call.ts';
export type {
  Subagent,
  SubagentDeclaration,
  SubagentOptions,
  SubmitOptions,
} from './subagents/subagent-declaration.ts';
export { SubagentFuture } from './subagents/subagent-future.ts';
export { SubagentResult } from './subagents/subagent-result.ts';
