import { EventType, OutputEvent, ResourceType, RunStatus } from 'lambda-agents';
import { expect, it } from 'vitest';
import { unavailable } from './support/answers.ts';
import { JobService } from './support/job-service.ts';
import { agentWith, endOf, outputsOf, simulate, startWaiting } from './support/simulation.ts';

it('a run whose call was given up while it was BLOCKED goes on at its redrive', async () => {
  const service = new JobService({ status: () => RunStatus.running() });
  const deployed = { fits: true };
  const agent = agentWith(service, { statusPollIntervalMillis: 1_000 }).addAction(
    'ask',
    EventType.InputEvent,
    async (_event, ctx) => {
      const handle = ctx.getResource('remote', ResourceType.AGENT).submit(1);
      await ctx.durableExecute({ id: 'x', args: deployed.fits, call: () => 1 });
      await ctx.sleep(20_000);
      ctx.sendEvent(OutputEvent((await handle).result));
    },
  );
  const { deployment } = simulate(agent, service);
  await startWaiting(deployment, 'r');
  deployed.fits = false;
  await deployment.settle(async () => (await deployment.run('r'))?.status === 'BLOCKED');
  service.answers = { status: unavailable };
  await deployment.settle(async () => deployment.polls.open().length === 0);
  deployed.fits = true;
  service.answers = {};
  deployment.send({ redrive: { requestId: 'r' } });
  await deployment.settle(async () => (await deployment.run('r'))?.status !== 'BLOCKED');
  expect((await endOf(deployment, 'r')).status).toBe('COMPLETED');
  expect(outputsOf(deployment, 'r')).toEqual(['done']);
  expect(service.count('submit')).toBe(1);
});
