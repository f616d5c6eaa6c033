import { App } from 'aws-cdk-lib';
import { agents } from '../functions/agents/deployed.ts';
import { AgentStack } from './agent-stack.ts';

const app = new App();

/** A value given by `cdk -c name=value`. */
const given = (name: string): string | undefined => app.node.tryGetContext(name)?.toString();

new AgentStack(app, given('stackName') ?? 'Agents', {
  agents,
  removable: given('removable') === 'true',
  runAgent: {
    environment: {
      TICKET_SERVICE_URL: given('ticketServiceUrl') ?? 'https://tickets.example.com',
      TEST_RUNNER_URL: given('testRunnerUrl') ?? 'https://tests.example.com',
    },
  },
});
