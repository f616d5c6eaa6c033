import { AttributeType, Billing, type CfnGlobalTable, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { removalPolicyOf, type StoredDataProps } from './stored-data.ts';

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
      deletionProtection: !props.removable,
      removalPolicy: removalPolicyOf(props),
    });
    if (props.encryptionKey) encrypt(this.table.node.defaultChild as CfnGlobalTable, props.encryptionKey);
  }
}

/** Set past `TableEncryptionV2`, which cannot do it in a stack whose region is open until it is deployed. */
function encrypt(table: CfnGlobalTable, key: IKey): void {
  table.sseSpecification = { sseEnabled: true, sseType: 'KMS' };
  table.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn });
}
