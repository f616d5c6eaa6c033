import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { PAYLOAD_PREFIX } from './statements.ts';
import { removalPolicyOf, type StoredDataProps } from './stored-data.ts';

export interface PayloadStoreProps extends StoredDataProps {
  /** Days for which a payload may be needed. */
  readonly neededDays: number;
}

// S3 counts from the object's creation and rounds to midnight; a payload must never go before what refers to it.
const LIFECYCLE_SLACK_DAYS = 3;

/** The bucket for values that do not fit into an item or a message. */
export class PayloadStore extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, props: PayloadStoreProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      ...(props.encryptionKey
        ? { encryption: BucketEncryption.KMS, encryptionKey: props.encryptionKey, bucketKeyEnabled: true }
        : { encryption: BucketEncryption.S3_MANAGED }),
      lifecycleRules: [
        {
          id: 'expire-payloads',
          prefix: PAYLOAD_PREFIX,
          expiration: Duration.days(props.neededDays + LIFECYCLE_SLACK_DAYS),
        },
      ],
      removalPolicy: removalPolicyOf(props),
      // Otherwise a bucket with payloads in it stops the tear-down half-way.
      autoDeleteObjects: props.removable,
    });
  }
}
