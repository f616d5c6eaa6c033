import type { SubagentCall } from 'lambda-agents';
import { expect } from 'vitest';
import { createRequestAcceptor } from '../../../../lib/runner/runtime.ts';
import type { SimulatedDeployment } from '../../../../lib/testing/simulated-deployment.ts';
import { forEver } from './answers.ts';
import { JobService } from './job-service.ts';
import { askingAgent, goOn, simulate, startWaiting } from './simulation.ts';

const polling = { statusPollIntervalMillis: 1_000 };

/** The message with which the remote reports the end of a call. */
export const message = ({ completion }: SubagentCall, value: unknown, more: object = {}) => ({
  signal: { ...completion, value, ...more },
});

/** A run that waits for a job which no poll ever finds completed. */
export async function waitingRun(service = new JobService({ status: forEver }), calls = 1) {
  const { deployment } = simulate(askingAgent(service, polling, calls), service);
  await startWaiting(deployment, 'r');
  await goOn(deployment, 5_000);
  const [job] = service.jobs;
  if (job === undefined) throw new Error('No job was submitted.');
  return { deployment, service, job };
}

/** Delivers a message, and nothing else. */
export async function deliver(deployment: SimulatedDeployment, body: unknown) {
  const known = deployment.accepts.length;
  deployment.send(body, 'remote');
  while (deployment.accepts.length === known) await deployment.step();
  return deployment.accepts.at(-1);
}

/** Delivers a message while something else is under way. */
export async function deliverAside(deployment: SimulatedDeployment, service: JobService, body: unknown): Promise<void> {
  const { clock } = deployment;
  const acceptor = createRequestAcceptor({ agents: [askingAgent(service, polling)], ports: deployment });
  const text = JSON.stringify(body);
  const batch = await acceptor.acceptRequests(
    [{ messageId: 'aside', groupId: 'aside', sequenceNumber: '999', body: text }],
    { deadline: clock.now() + 30_000 },
  );
  expect(batch.results).toMatchObject([{ result: { kind: 'signalled' } }]);
}
