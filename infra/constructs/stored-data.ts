import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/** What the stack decides once for everything that holds data. */
export interface StoredDataProps {
  /** Whether `cdk destroy` may take the data with it. */
  readonly removable: boolean;
  /** Encrypts the data. @default keys that AWS owns */
  readonly encryptionKey?: IKey | undefined;
}

/** Data stays by default, so that removing a stack by mistake loses nothing. */
export const removalPolicyOf = ({ removable }: StoredDataProps): RemovalPolicy =>
  removable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
