import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { LocalResourceType } from './local-resource.ts';
import { localArn, physicalName } from './physical-names.ts';

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));

const tableProperties = z.object({
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: keySchema,
  BillingMode: z.literal('PAY_PER_REQUEST'),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({
          ProjectionType: z.enum(['KEYS_ONLY', 'INCLUDE', 'ALL']),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .optional(),
});

/** A table with its indexes. Time to live, recovery and deletion protection stand in the template and do nothing here. */
export const localTable: LocalResourceType = {
  phase: 'data',
  identify({ logicalId }, { stackName, region }) {
    const name = physicalName(stackName, logicalId);
    return { ref: name, attributes: { Arn: localArn('dynamodb', region, `table/${name}`) } };
  },
  async create({ properties, identity }, { dynamodb }) {
    const table = tableProperties.parse(properties);
    await dynamodb.send(new CreateTableCommand({ TableName: identity.ref, ...table }));
  },
};
