import * as z from 'zod';
import type { AgentDefinition } from '../agent/define-agent.ts';
import { type ResourceDeclaration, ResourceType } from '../agent/resource.ts';
import { AgentError } from '../errors/agent-error.ts';
import { AsyncSubagentSetup } from '../subagents/async-subagent-setup.ts';
import { RunStatus } from '../subagents/run-status.ts';
import type { SubagentCall } from '../subagents/subagent-call.ts';
import { SubagentResult } from '../subagents/subagent-result.ts';
import { checkJson } from '../values/json-value.ts';

/** How a scripted sub-agent answers each of its calls. */
export interface SubagentScript {
  /** Probes that find the job running. */
  readonly probes: number;
  /** What the next one finds; absent: it goes on for ever. */
  readonly end?: { readonly result: unknown } | { readonly error: string };
}

/** Answers of sub-agents in tests. @example testRuntime([codeReview], { subagents: { test_runner: scripted.completesAfter(3, 'green') } }) */
export const scripted = {
  /** Runs for so many probes, then completes with that result. */
  completesAfter: (probes: number, result: unknown): SubagentScript => {
    checkJson(result, 'the scripted result');
    return { probes, end: { result } };
  },
  /** Runs for so many probes, then fails. */
  failsAfter: (probes: number, error: string): SubagentScript => ({ probes, end: { error } }),
  /** Runs for ever. */
  neverEnds: (): SubagentScript => ({ probes: Number.POSITIVE_INFINITY }),
} as const;

/** What a scripted service knows of a job. */
export interface ScriptedJob {
  readonly call: SubagentCall;
  submissions: number;
  probes: number;
  fetches: number;
  cancellations: number;
}

/** A remote service that follows a script. */
export class ScriptedService {
  readonly name: string;
  readonly #script: SubagentScript;
  readonly #jobs = new Map<string, ScriptedJob>();

  constructor(name: string, script: SubagentScript) {
    this.name = name;
    this.#script = script;
  }

  /** The jobs that were submitted, in order. */
  get jobs(): readonly ScriptedJob[] {
    return [...this.#jobs.values()];
  }

  /** What happened more often than it may, in words. */
  violations(): readonly string[] {
    return this.jobs
      .filter(({ submissions }) => submissions > 1)
      .map(({ call, submissions }) => `sub-agent "${this.name}" was sent job ${call.key} ${submissions} times`);
  }

  submit(call: SubagentCall): void {
    const job = this.#jobs.get(call.key) ?? { call, submissions: 0, probes: 0, fetches: 0, cancellations: 0 };
    job.submissions += 1;
    this.#jobs.set(call.key, job);
  }

  status({ key }: SubagentCall): RunStatus {
    const job = this.#jobs.get(key);
    if (job === undefined) return RunStatus.notStarted();
    if (job.cancellations > 0) return RunStatus.failed('cancelled');
    job.probes += 1;
    const { probes, end } = this.#script;
    if (end === undefined || job.probes <= probes) return RunStatus.running();
    return 'error' in end ? RunStatus.failed(end.error) : RunStatus.completed();
  }

  fetch({ key }: SubagentCall): SubagentResult {
    const job = this.#jobs.get(key);
    if (job) job.fetches += 1;
    const { end } = this.#script;
    return end !== undefined && 'result' in end ? SubagentResult.ok(end.result) : SubagentResult.error('not completed');
  }

  cancel({ key }: SubagentCall): void {
    const job = this.#jobs.get(key);
    if (job) job.cancellations += 1;
  }
}

class ScriptedSetup extends AsyncSubagentSetup.withConfig(z.object({ service: z.instanceof(ScriptedService) })) {
  async callSubmitRequest(call: SubagentCall) {
    this.config.service.submit(call);
  }
  async callQueryStatus(call: SubagentCall) {
    return this.config.service.status(call);
  }
  async callFetchResult(call: SubagentCall) {
    return this.config.service.fetch(call);
  }
  override async callCancelRequest(call: SubagentCall) {
    this.config.service.cancel(call);
  }
}

/** The same agents, some of their sub-agents scripted; what stands beside their class about polling, time and prompts stays. */
export function withScripts(
  agents: readonly AgentDefinition[],
  services: ReadonlyMap<string, ScriptedService>,
): readonly AgentDefinition[] {
  const known = new Set(agents.flatMap(({ resources }) => resources.filter(isSubagent).map(({ name }) => name)));
  for (const name of services.keys()) {
    if (!known.has(name)) {
      throw new AgentError(
        'UNKNOWN_RESOURCE',
        `The test scripts sub-agent "${name}", which no agent has. Use one of: ${[...known].join(', ')}.`,
      );
    }
  }
  const replace = (resource: ResourceDeclaration): ResourceDeclaration => {
    const service = isSubagent(resource) ? services.get(resource.name) : undefined;
    if (service === undefined) return resource;
    const { description, inputSchema, statusPollIntervalMillis, timeoutMillis } =
      resource.declaration as ResourceDeclaration<typeof ResourceType.AGENT>['declaration'];
    const options = { description, inputSchema, statusPollIntervalMillis, timeoutMillis };
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return {
      ...resource,
      declaration: { clazz: ScriptedSetup, service, ...given } as ResourceDeclaration['declaration'],
    };
  };
  return agents.map((agent) => ({ ...agent, resources: agent.resources.map(replace) }));
}

const isSubagent = ({ type }: ResourceDeclaration): boolean => type === ResourceType.AGENT;
