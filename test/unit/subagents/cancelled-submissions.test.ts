import { expect, it } from 'vitest';
import { createRequestAcceptor } from '../../../lib/runner/runtime.ts';
import { JobService, passTime } from './support/job-service.ts';
import { askingAgent, endOf, simulate } from './support/simulation.ts';

it('a run that is cancelled while a job is being handed over asks the remote to stop it', async () => {
  const service = new JobService();
  const agent = askingAgent(service);
  const { deployment } = simulate(agent, service);
  const cancelRun = async (): Promise<void> => {
    const acceptor = createRequestAcceptor({ agents: [agent], ports: deployment });
    const body = JSON.stringify({ cancel: { requestId: 'r' } });
    await acceptor.acceptRequests([{ messageId: 'c', groupId: 'c', sequenceNumber: '9', body }], {
      deadline: deployment.clock.now() + 30_000,
    });
  };
  service.answers = {
    submit: async () => {
      await cancelRun();
      // Longer than it takes the driver to renew its lease, when it finds that the run was cancelled.
      await passTime(service.clock, 25_000);
    },
  };
  deployment.send({ agent: 'asks', requestId: 'r', input: null });
  expect((await endOf(deployment, 'r')).status).toBe('CANCELLED');
  expect(service.log.map(({ hook }) => hook)).toEqual(['submit', 'cancel']);
});
