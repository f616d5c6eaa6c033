import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { removalPolicyOf, type StoredDataProps } from './shared-props.ts';

/** The one table with every run, and its sparse index by due time. */
export class RunStore extends Construct {
  readonly table: TableV2;
  readonly indexName = 'due';

  constructor(scope: Construct, id: string, props: StoredDataProps) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // Only unfinished and failed runs carry `gs` and `du`, so finished ones cost nothing here.
      globalSecondaryIndexes: [
        {
          indexName: this.indexName,
          partitionKey: { name: 'gs', type: AttributeType.STRING },
          sortKey: { name: 'du', type: AttributeType.NUMBER },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      // Without one, DynamoDB encrypts by a key that AWS owns.
      ...(props.encryptionKey ? { encryption: TableEncryptionV2.customerManagedKey(props.encryptionKey) } : {}),
      deletionProtection: !props.removable,
      removalPolicy: removalPolicyOf(props),
    });
  }
}
