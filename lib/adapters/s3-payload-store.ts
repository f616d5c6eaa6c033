import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { AgentError } from '../errors/agent-error.ts';
import type { PayloadReference, PayloadStore } from '../ports/payload-store.ts';

/** Where payloads are. */
export interface S3PayloadStoreOptions {
  /** Gives the client at the first use: the S3 module is large, and most runs never need it. */
  readonly client: () => Promise<S3Client>;
  readonly bucket: string;
  /** Pause before a put that met another one of its key is tried again, doubled each time. @default 50 */
  readonly retryMillis?: number;
}

// Two writers of one key at the same moment: S3 asks one of them to try again. With the pauses this outlasts a put of 32 MiB.
const MAX_CONFLICTS = 6;

/** Payloads in an S3 bucket, under `payload/<folder>/<sha256>`. */
export class S3PayloadStore implements PayloadStore {
  readonly #client: () => Promise<S3Client>;
  readonly #bucket: string;
  readonly #retryMillis: number;

  constructor({ client, bucket, retryMillis = 50 }: S3PayloadStoreOptions) {
    this.#client = client;
    this.#bucket = bucket;
    this.#retryMillis = retryMillis;
  }

  async put(folder: string, text: string): Promise<PayloadReference> {
    const body = Buffer.from(text, 'utf8');
    const sha256 = digest(body);
    const reference = { bucket: this.#bucket, key: `payload/${folder}/${sha256}`, bytes: body.byteLength, sha256 };
    await this.#putOnce(reference.key, body);
    return reference;
  }

  async get(reference: PayloadReference): Promise<string> {
    const body = await this.#read(reference);
    if (digest(body) !== reference.sha256) {
      throw missing(reference, 'differs from its digest');
    }
    return Buffer.from(body).toString('utf8');
  }

  async #putOnce(key: string, body: Buffer): Promise<void> {
    const { PutObjectCommand, S3ServiceException } = await import('@aws-sdk/client-s3');
    const client = await this.#client();
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      Body: body,
      ContentType: 'text/plain; charset=utf-8',
      IfNoneMatch: '*',
    });
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        await client.send(command);
        return;
      } catch (error) {
        if (!(error instanceof S3ServiceException)) throw error;
        if (isPreconditionFailed(error)) return;
        if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error;
        await pause(this.#retryMillis * 2 ** conflicts);
      }
    }
  }

  async #read(reference: PayloadReference): Promise<Uint8Array> {
    const { GetObjectCommand, S3ServiceException } = await import('@aws-sdk/client-s3');
    const client = await this.#client();
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: reference.bucket, Key: reference.key }));
      // The SDK leaves the body out of an empty object's answer.
      return (await Body?.transformToByteArray()) ?? new Uint8Array();
    } catch (error) {
      if (!(error instanceof S3ServiceException) || !isMissing(error)) throw error;
      throw missing(reference, `cannot be read (${error.name})`, error);
    }
  }
}

function isPreconditionFailed({ name, $metadata }: S3ServiceException): boolean {
  return name === 'PreconditionFailed' || $metadata.httpStatusCode === 412;
}

function isConflict({ name }: S3ServiceException): boolean {
  return name === 'ConditionalRequestConflict';
}

// Without s3:ListBucket, which the functions do not have, S3 denies access to a key that does not exist.
function isMissing({ name }: S3ServiceException): boolean {
  return name === 'NoSuchKey' || name === 'AccessDenied';
}

function missing({ bucket, key }: PayloadReference, fact: string, cause?: unknown): AgentError {
  const message = `Payload "${key}" of bucket "${bucket}" ${fact}. Check whether it expired or was pruned, and who may read it.`;
  return new AgentError('PAYLOAD_MISSING', message, { cause });
}

function digest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}
