import { extensionOf } from './source-file.ts';

interface SecretFormat {
  readonly name: string;
  /** Its first group is the public part of the format, which a finding may show. */
  readonly pattern: RegExp;
}

// Each pattern asks for the least length only and starts at most once in a run of its own characters: a line of a
// megabyte stays linear.
const FORMATS: readonly SecretFormat[] = [
  { name: 'an AWS access key id', pattern: /(?<![A-Za-z0-9])(AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/ },
  { name: 'a GitHub token', pattern: /(?<!\w)(gh[pousr]_)[A-Za-z0-9]{36}/ },
  { name: 'a GitHub token', pattern: /(?<!\w)(github_pat_)\w{22}/ },
  { name: 'a Slack token', pattern: /(?<!\w)(xox[abeprs]-)[A-Za-z0-9-]{10}/ },
  { name: 'a Stripe key', pattern: /(?<!\w)((?:sk|rk)_live_)[A-Za-z0-9]{16}/ },
  { name: 'a Google API key', pattern: /(?<!\w)(AIza)[\w-]{35}/ },
  { name: 'an npm token', pattern: /(?<!\w)(npm_)[A-Za-z0-9]{36}/ },
  // With a digit among the first characters: CSS class names begin with `sk-` too.
  { name: 'an API key', pattern: /(?<![\w-])(sk-)(?=[A-Za-z_-]{0,40}\d)[\w-]{20}/ },
  { name: 'a JSON web token', pattern: /(?<![\w-])(eyJ)[\w-]{10,500}\.eyJ[\w-]{10}/ },
  { name: 'a private key', pattern: /(-----BEGIN )(?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----/ },
];

const NAME = '(?:passw(?:or)?d|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)';
const QUOTED = new RegExp(
  `${NAME}["'\`]?(?:\\s?:\\s?string)?\\s{0,20}(?::|=>?|:=)\\s{0,20}["'\`]([^"'\`\\s]{8,200})["'\`]`,
  'i',
);
const UNQUOTED = new RegExp(`${NAME}\\s{0,20}[:=]\\s{0,20}([^\\s"'\`#]{8,200})(?=\\s|$)`, 'i');
const SETTINGS_FILES = new Set(['env', 'yml', 'yaml', 'ini', 'cfg', 'conf', 'properties', 'toml']);
const URL_PASSWORD = /(?<=[a-z]:)\/\/[^\s:@/'"]{0,100}:([^\s:@/'"]{3,100})@/i;

const PLACEHOLDER = /^[<$%{(*]|\$\{|\{\{|\*{3}|x{4}|example|changeme|placeholder|dummy|sample|your[_-]/i;

/** A sentence about the likely secret in a line, if there is one. It never repeats more than a format's public prefix. */
export function likelySecret(path: string, text: string): string | undefined {
  for (const { name, pattern } of FORMATS) {
    const prefix = pattern.exec(text)?.[1];
    if (prefix !== undefined) return `Looks like ${name} (${prefix.trim()}****).`;
  }
  const password = URL_PASSWORD.exec(text)?.[1];
  if (password !== undefined && !PLACEHOLDER.test(password)) return 'Looks like a URL with a password (****).';

  const isSettings = SETTINGS_FILES.has(extensionOf(path)) || /(?:^|\/)\.env/.test(path);
  const value = QUOTED.exec(text)?.[1] ?? (isSettings ? UNQUOTED.exec(text)?.[1] : undefined);
  return value !== undefined && looksLikeValue(value) ? 'Looks like a secret written into the file (****).' : undefined;
}

// Words alone are mostly names of secrets, not secrets.
function looksLikeValue(value: string): boolean {
  return /[A-Za-z]/.test(value) && /\d/.test(value) && !PLACEHOLDER.test(value);
}
