// "Amazon SQS message quotas": these characters may stand in a message, anything else has it refused.
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Escapes the two characters that `JSON.stringify` leaves as they are and SQS refuses. They can only stand inside JSON strings. */
export function escapeJsonBody(json: string): string {
  return json.replace(/[\uFFFE\uFFFF]/g, (character) => (character === '\uFFFE' ? '\\ufffe' : '\\uffff'));
}

/** Replaces what SQS refuses in plain text by the replacement character. */
export function replaceForbiddenCharacters(text: string): string {
  return text.replace(FORBIDDEN, '\uFFFD');
}

/** Size of a text in UTF-8 bytes, as SQS counts it. */
export function bodyBytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Message and batch request: 1 MiB, attributes included. */
export const MAX_REQUEST_BYTES = 1_048_576;
