import * as z from 'zod';

const answerSchema = z.object({ events: z.array(z.object({ message: z.string() })) });

/** The lines of a log group in the emulator, which looks at no signature. */
export async function readLog(url: string, region: string, logGroupName: string): Promise<readonly string[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'Logs_20140328.FilterLogEvents',
      authorization: `AWS4-HMAC-SHA256 Credential=rehearsal/20260101/${region}/logs/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify({ logGroupName }),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`The log ${logGroupName} cannot be read (${response.status}): ${body}`);
  return answerSchema.parse(JSON.parse(body)).events.map(({ message }) => message);
}
