import * as z from 'zod';
import { LocalMachine } from './local-machine.ts';
import { functionByArn, type LocalResourceType } from './local-resource.ts';
import { localArn, physicalName } from './physical-names.ts';

const machineProperties = z.object({
  DefinitionString: z.string(),
  StateMachineType: z.literal('STANDARD').default('STANDARD'),
});

/** A state machine whose tasks call the functions of the stack. Its log and role do nothing here. */
export const localStateMachine: LocalResourceType = {
  phase: 'function',
  identify({ logicalId }, { stackName, region }) {
    const name = physicalName(stackName, logicalId);
    const arn = localArn('states', region, `stateMachine:${name}`);
    return { ref: arn, attributes: { Arn: arn, Name: name } };
  },
  async create({ properties, identity }, context) {
    const { DefinitionString: definition } = machineProperties.parse(properties);
    const invoke = (functionArn: string, event: unknown) => functionByArn(context, functionArn).invoke(event);
    context.machines.set(identity.ref, new LocalMachine({ arn: identity.ref, definition, invoke }));
  },
};
