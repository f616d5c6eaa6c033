import type * as z from 'zod';
import { AgentError } from '../errors/agent-error.ts';
import { isRunStatus, type RunStatus } from './run-status.ts';
import type { SubagentCall } from './subagent-call.ts';
import type { SubagentResult } from './subagent-result.ts';
import { SubagentSetup } from './subagent-setup.ts';

/**
 * A remote service that takes a job, works on it, and is asked how far it is. The run waits without compute meanwhile.
 * What escapes a hook is a system fault: not recorded, not seen by user code, tried again. (Flink Agents: `AsyncSubagentSetup`.)
 * @example
 * class TestRunSetup extends AsyncSubagentSetup.withConfig(z.object({ endpoint: z.url() })) { … }
 */
export abstract class AsyncSubagentSetup<Config = unknown> extends SubagentSetup<Config> {
  /** A base class whose `config` fits the schema; it is checked when the plan is compiled. */
  static withConfig<Schema extends z.ZodObject>(schema: Schema) {
    abstract class ConfiguredAsyncSubagentSetup extends AsyncSubagentSetup<z.output<Schema>> {
      static readonly configSchema: Schema = schema;
    }
    return ConfiguredAsyncSubagentSetup;
  }

  /** Starts the job under `call.key`, as a service that knows idempotency keys takes it. At most 30 seconds. */
  abstract callSubmitRequest(call: SubagentCall): Promise<void>;

  /** Asks how far the job is, without changing anything. At most 10 seconds. */
  abstract callQueryStatus(call: SubagentCall): Promise<RunStatus>;

  /** Fetches the result of a completed job; may be repeated. At most 10 seconds. */
  abstract callFetchResult(call: SubagentCall): Promise<SubagentResult>;

  /** Stops a job whose answer nobody waits for any more; may be repeated, and an error is only logged. @default nothing */
  async callCancelRequest(_call: SubagentCall): Promise<void> {}

  /**
   * Asked *instead of* `callSubmitRequest` when an earlier one may have arrived without a record.
   * @default asks for the status, and submits again when the service does not know the job
   */
  async reconcileSubmitRequest(call: SubagentCall): Promise<void> {
    const status = await this.callQueryStatus(call);
    if (!isRunStatus(status)) {
      throw new AgentError(
        'INVALID_SUBAGENT',
        'callQueryStatus answered something that is no RunStatus. Return one of RunStatus.notStarted(), running(), completed() or failed(error).',
      );
    }
    if (status.kind === 'NOT_STARTED') await this.callSubmitRequest(call);
  }
}
