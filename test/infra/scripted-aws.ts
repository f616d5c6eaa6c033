import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as z from 'zod';

const requestSchema = z.record(z.string(), z.unknown());

export interface SeenCall {
  /** Such as `SendMessage`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

type Answer = (input: SeenCall['input']) => unknown;

/** A server that takes the calls of the AWS SDK: a scripted operation is answered, any other is refused for good. */
export class ScriptedAws {
  readonly calls: SeenCall[] = [];
  readonly #server: Server;
  #answers: Readonly<Record<string, Answer>> = {};

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
      const input = requestSchema.parse(JSON.parse(await text(request)));
      this.calls.push({ operation, input });
      const answer = this.#answers[operation];
      response
        .writeHead(answer ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' })
        .end(JSON.stringify(answer ? answer(input) : { __type: 'ValidationException', message: 'not scripted' }));
    });
  }

  static async start(): Promise<ScriptedAws> {
    const aws = new ScriptedAws();
    await new Promise<void>((resolve) => aws.#server.listen(0, '127.0.0.1', resolve));
    return aws;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets the calls seen so far. */
  script(answers: Readonly<Record<string, Answer>>): void {
    this.calls.length = 0;
    this.#answers = answers;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** What SQS answers to a message; the SDK checks the digest. */
export const acceptMessage: Answer = ({ MessageBody }) => ({
  MessageId: 'm',
  MD5OfMessageBody: createHash('md5').update(String(MessageBody)).digest('hex'),
});
