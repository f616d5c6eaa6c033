import { describeThrown, encodeThrown } from '../../values/error-codec.ts';

/** Room for an error in the run's record, which each write of the record pays for. */
const MAX_BYTES = 4_096;
/** A character takes at most six bytes, as an escape. */
const MAX_MESSAGE_LENGTH = 512;

/** Stored text of what ended an attempt or a run: whole, or its name, code and the beginning of its message. Never throws. */
export function encodeRunError(error: unknown): string {
  const text = encodeThrown(error);
  if (Buffer.byteLength(text, 'utf8') <= MAX_BYTES) return text;
  const { name, message, code } = describeThrown(error);
  const short = new Error(`${message.slice(0, MAX_MESSAGE_LENGTH)}… (cut; the trace has more)`);
  short.name = name;
  return encodeThrown(code === undefined ? short : Object.assign(short, { code: code.slice(0, 128) }));
}
