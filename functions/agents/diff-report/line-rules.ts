import { debugOutput } from './debug-output.ts';
import type { FindingKind } from './finding.ts';
import { likelySecret } from './secrets.ts';
import { extensionOf, isComment, isTestFile } from './source-file.ts';

/** Looks at one added line, given without its line ending; the answer is the message of a finding. */
export interface LineRule {
  readonly kind: FindingKind;
  readonly check: (path: string, text: string) => string | undefined;
}

const JAVASCRIPT = /^[cm]?[jt]sx?$/;
const ONLY = /(?<![\w.$])(?:describe|context|suite|it|test|specify|bench)(?:\.\w{1,30}){0,3}?\.only\b/;
const FOCUSED_CALL = /(?<![\w.$])(?:fdescribe|fcontext|fit)\s?\(/;
const FOCUSED_SPEC = /^\s{0,200}(?:fdescribe|fcontext|fit)\b|\bfocus: true\b|, ?:focus\b/;
// In Markdown two spaces at the end are a line break; in a patch an empty context line is one space.
const TRAILING_SPACE_MEANS_SOMETHING = new Set(['md', 'markdown', 'diff', 'patch']);

export const LINE_RULES: readonly LineRule[] = [
  {
    kind: 'secret',
    check: (path, text) => {
      const fact = likelySecret(path, text);
      return fact && `${fact} Revoke it, and keep its successor in a secret store.`;
    },
  },
  {
    kind: 'conflict-marker',
    check: (_, text) =>
      /^(?:<{7}|>{7}|\|{7})(?: |$)/.test(text) ? 'A merge conflict marker is left. Resolve the conflict.' : undefined,
  },
  {
    kind: 'focused-test',
    check: (path, text) =>
      isFocused(path, text) ? 'A focused test keeps all others from running. Take the focus off.' : undefined,
  },
  {
    kind: 'debug-output',
    check: (path, text) => {
      const statement = debugOutput(path, text);
      return statement && `"${statement}" looks left over from debugging. Remove it, or write to the log.`;
    },
  },
  {
    kind: 'todo',
    check: (_, text) => {
      const word = /\b(?:TODO|FIXME|XXX)\b/.exec(text)?.[0];
      return word && `A ${word} is added. Do it now, or open a ticket of its own for it.`;
    },
  },
];

/** Whether an added line ends in white space, or has a space before a tab in its indentation. */
export function hasWhitespaceError(path: string, text: string): boolean {
  const trails = text.trimEnd().length < text.length && !TRAILING_SPACE_MEANS_SOMETHING.has(extensionOf(path));
  return trails || /^\t* +\t/.test(text);
}

function isFocused(path: string, text: string): boolean {
  if (isComment(text)) return false;
  const extension = extensionOf(path);
  if (extension === 'rb') return isTestFile(path) && FOCUSED_SPEC.test(text);
  return JAVASCRIPT.test(extension) && (ONLY.test(text) || (isTestFile(path) && FOCUSED_CALL.test(text)));
}
