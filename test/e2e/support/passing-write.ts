import * as z from 'zod';
import type { PassingRequest } from './proxy.ts';

const text = z.object({ S: z.string() });
const itemKey = z.object({ pk: text, sk: text });
const storeWrite = z.union([
  z.object({ Item: itemKey }).transform(({ Item }) => Item),
  z.object({ Key: itemKey }).transform(({ Key }) => Key),
]);
const queueWrite = z.object({ QueueUrl: z.string() });
const names = z.object({ ExpressionAttributeNames: z.record(z.string(), z.string()).default({}) });

const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem', 'SendMessage', 'SendMessageBatch'];
// A driver prolongs its lease whenever it takes long, so how often it does is left to chance.
const RENEWAL = 'UpdateItem RUN RUN du lu';

/** What a request to the store or to a queue changes, without ids, such as `PutItem RUN ACTION`. `undefined`: nothing, or its lease only. */
export function describeWrite({ headers, body }: PassingRequest): string | undefined {
  const operation = headers['x-amz-target']?.split('.')[1] ?? '';
  if (!WRITES.includes(operation)) return undefined;
  const content: unknown = JSON.parse(body);
  const item = storeWrite.safeParse(content);
  if (!item.success) return `${operation} ${queueName(queueWrite.parse(content).QueueUrl)}`;
  const place = [item.data.pk.S, item.data.sk.S].map((key) => key.split('#')[0]);
  const description = [operation, ...place, ...(operation === 'UpdateItem' ? changedAttributes(content) : [])].join(
    ' ',
  );
  return description === RENEWAL ? undefined : description;
}

/** The names that the update expression uses, not those of the condition. */
function changedAttributes(content: unknown): readonly string[] {
  const used = Object.entries(names.parse(content).ExpressionAttributeNames);
  return used.flatMap(([placeholder, name]) => (placeholder.startsWith('#u') ? [name] : [])).toSorted();
}

/** `http://…/Agents-WakeQueueD60A48F0` is the WakeQueue. */
const queueName = (url: string): string => /([A-Za-z]+Queue)[^/]*$/.exec(url)?.[1] ?? url;
