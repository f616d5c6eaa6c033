/** Cuts a text to a number of characters; a cut shows. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // A character is one or two code units; of a text of megabytes only its beginning is looked at.
  const characters = Array.from(text.slice(0, 2 * length + 2));
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

// Controls would act on the terminal, marks of direction would reorder what stands beside them.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text from outside as one harmless line. */
export function oneLine(text: string): string {
  const spaced = text.replace(/[\r\n\t]+/g, ' ');
  return spaced.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** A text from outside, harmless, with its line breaks. */
export const manyLines = (text: string): string => text.split('\n').map(oneLine).join('\n');

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something took. */
export function formatDuration(millis: number): string {
  if (millis < SECOND) return `${Math.round(millis)} ms`;
  if (millis < MINUTE) return `${(Math.floor(millis / 10) / 100).toFixed(2)} s`;
  if (millis < HOUR) return `${Math.floor(millis / MINUTE)} min ${Math.floor((millis % MINUTE) / SECOND)} s`;
  if (millis < DAY) return `${Math.floor(millis / HOUR)} h ${Math.floor((millis % HOUR) / MINUTE)} min`;
  return `${Math.floor(millis / DAY)} d ${Math.floor((millis % DAY) / HOUR)} h`;
}

/** How old something is, in its largest unit. */
export function formatAge(millis: number): string {
  if (millis < MINUTE) return `${Math.max(Math.floor(millis / SECOND), 0)} s`;
  if (millis < HOUR) return `${Math.floor(millis / MINUTE)} min`;
  if (millis < DAY) return `${Math.floor(millis / HOUR)} h`;
  return `${Math.floor(millis / DAY)} d`;
}
