/** The two names that a diff gives a file. */
export interface PathPair {
  readonly old: string;
  readonly new: string;
}

export const DEV_NULL = '/dev/null';

const QUOTED = /^"([^"\\]*(?:\\.[^"\\]*)*)"/;
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

// git writes i/ w/ c/ o/ with diff.mnemonicPrefix, and 1/ 2/ for files outside a repository.
const KNOWN_PREFIX = /^[abciow12]\//;

/** Undoes git's C-style quoting; consecutive octal escapes are the bytes of UTF-8 text. */
function unquote(quoted: string): string {
  return quoted.replace(/((?:\\[0-7]{3})+)|\\(.)/g, (_, octal: string | undefined, escaped: string) => {
    if (octal === undefined) return ESCAPES[escaped] ?? escaped;
    const bytes = octal.split('\\').slice(1);
    return new TextDecoder().decode(Uint8Array.from(bytes, (digits) => Number.parseInt(digits, 8)));
  });
}

/** Reads a path, quoted or not; `comment` is what follows it after a tab, such as the time stamp of `diff -u`. */
export function decodePath(raw: string): { readonly path: string; readonly comment: string } {
  const quoted = QUOTED.exec(raw);
  if (quoted) return { path: unquote(quoted[1] ?? ''), comment: raw.slice(quoted[0].length).trim() };
  const tab = raw.indexOf('\t');
  return tab < 0 ? { path: raw, comment: '' } : { path: raw.slice(0, tab), comment: raw.slice(tab + 1).trim() };
}

/**
 * Splits what follows `diff --git `. Unquoted names may hold spaces, so the split is the one place where both sides
 * name the same file; a rename has no such place and is told by its `rename` lines.
 */
export function splitGitNames(names: string): PathPair | undefined {
  const first = QUOTED.exec(names);
  if (first) return sameFile(decodePath(names).path, decodePath(names.slice(first[0].length + 1)).path);
  const middle = (names.length - 1) / 2;
  if (names[middle] === ' ') return sameFile(names.slice(0, middle), names.slice(middle + 1));
  return undefined;
}

function sameFile(oldName: string, newName: string): PathPair | undefined {
  const pair = withoutPrefixes({ old: oldName, new: newName });
  return pair.old === pair.new ? pair : undefined;
}

/** Takes the `a/` and `b/` of git, or the two compared folders of `diff -r`, off the names. */
export function withoutPrefixes(pair: PathPair): PathPair {
  if (pair.old === pair.new) return pair;
  const oldRest = withoutFirstFolder(pair.old);
  const newRest = withoutFirstFolder(pair.new);
  if (oldRest !== undefined && oldRest === newRest) return { old: oldRest, new: newRest };
  const isKnown = [pair.old, pair.new].every((name) => name === DEV_NULL || KNOWN_PREFIX.test(name));
  if (!isKnown) return pair;
  const strip = (name: string) => (name === DEV_NULL ? name : name.replace(KNOWN_PREFIX, ''));
  return { old: strip(pair.old), new: strip(pair.new) };
}

function withoutFirstFolder(name: string): string | undefined {
  const slash = name.indexOf('/');
  return slash < 0 ? undefined : name.slice(slash + 1);
}
