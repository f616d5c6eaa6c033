import type { LocalResourceType } from './local-resource.ts';
import { localStackError } from './local-stack-error.ts';
import { physicalName } from './physical-names.ts';

/** A bucket. Access, encryption and lifecycle stand in the template and do nothing here. */
export const localBucket: LocalResourceType = {
  phase: 'data',
  identify({ logicalId }, { stackName }) {
    const name = physicalName(stackName, logicalId).toLowerCase();
    return { ref: name, attributes: { Arn: `arn:aws:s3:::${name}` } };
  },
  async create({ identity }, { endpoints }) {
    // One plain request: the S3 client would cost more to load than everything else that starts here.
    const response = await fetch(`${endpoints.s3}/${identity.ref}`, { method: 'PUT' });
    if (!response.ok) {
      throw localStackError(
        `Bucket ${identity.ref} was not created: HTTP ${response.status}. Shorten the stack's name.`,
      );
    }
  },
};
