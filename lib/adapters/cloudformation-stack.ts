import { AgentError } from '../errors/agent-error.ts';

/** Where CloudFormation is. */
export interface StackLocation {
  /** @default the SDK's own search */
  readonly region?: string | undefined;
  /** @default AWS itself */
  readonly endpoint?: string | undefined;
}

/**
 * The outputs of a deployed stack, by name.
 * @throws AgentError `STACK_NOT_FOUND`
 */
export async function readStackOutputs(
  stackName: string,
  { region, endpoint }: StackLocation = {},
): Promise<Readonly<Record<string, string>>> {
  // Only the CLI needs it, and only for a deployed stack.
  const { CloudFormationClient, CloudFormationServiceException, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const client = new CloudFormationClient({ ...(region && { region }), ...(endpoint && { endpoint }) });
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    const outputs = Stacks[0]?.Outputs ?? [];
    return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
  } catch (error) {
    // "DescribeStacks": "If the stack doesn't exist, a ValidationError is returned." So does a name that no stack can have.
    if (!(error instanceof CloudFormationServiceException && error.name === 'ValidationError')) throw error;
    const where = await client.config.region();
    throw new AgentError(
      'STACK_NOT_FOUND',
      `There is no stack "${stackName}" in ${where}. Name another with --stack, another region with --region, or deploy it.`,
      { cause: error },
    );
  } finally {
    client.destroy();
  }
}
