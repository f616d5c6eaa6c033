const MASK = '***';

/** Credentials that are known by their shape alone. Their parts are bounded, so that no text takes long. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,20}PRIVATE KEY-----|$)/g,
  // JSON web tokens, key ids of AWS, keys of Google.
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  // Keys of model providers have digits; without that condition "sk-learn-contrib-imbalanced" would be one.
  /\bsk-(?=[A-Za-z_-]{0,64}\d)[\w-]{16,}/g,
  /\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}|\bxox[a-z]-[\w-]{10,}/g,
];

/** What is set to a credential, whatever stands before it: `GITHUB_TOKEN`, `x-api-key`, `AccountKey`. */
const SECRET =
  'token|secret|passw(?:or)?d|passphrase|pwd|credentials?|api[-_ ]?key|(?:access|account|secret|private|encryption|subscription|functions)[-_]?(?:access[-_]?)?key';
/** Between name and value: `=`, `:`, `":`, also inside a JSON text that stands in another; neither `==` nor `=>`. */
const IS = String.raw`\\?["']?[ \t]*(?:=(?![=>])|:)[ \t]*`;
/** A value in quotes, in escaped quotes, or up to the next separator. */
const VALUE = String.raw`\\"[^"\\]*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s&"'\x60,;(){}[\]<>\\]+`;

// "Unexpected token: x" is about a text, not about a credential.
const NAMED = new RegExp(String.raw`(?<!expected |[\w.-])([\w.-]{0,64}?(?:${SECRET})${IS})(${VALUE})`, 'gi');
const AUTHORIZATION = new RegExp(String.raw`(\bauthorization${IS})(${VALUE})([^\r\n"'\\]*)`, 'gi');
const COOKIE = new RegExp(String.raw`(\bcookie${IS}\\?["']?)[^\s"'\\=]{1,64}=[^\r\n"'\\]*`, 'gi');
const BEARER = /(\bbearer[ \t]+)(?!\w+=")([\w.~+/=-]{4,})/gi;
const BASIC = /(\bbasic[ \t]+)([A-Za-z0-9+/]{8,}={0,2})/gi;
const USER_OF_URL = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)(?:[^\s/@:"'<>]*:[^\s/"'<>]+|[^\s/@:"'<>]{16,})@/gi;
// A short one, or one without a digit, is the name of a thing: `?key=pr-7`.
const QUERY = /([?&](?:key|code|auth|jwt)=)(?=[^\s&#"']{0,64}\d)[^\s&#"'*]{16,}/gi;
const SIGNATURE = /(\b(?:sig|signature)=)[\w+/%=-]{16,}/gi;

const SCHEME = /^(?:bearer|basic|digest|token|negotiate|apikey|aws4-[\w-]+)$/i;
/** A word of a sentence, or the name of a class. */
const WORD = /^[A-Z]?[a-z]{0,24}(?:[A-Z][a-z]{1,24}){0,4}[.:!?]?$/;
/** Words joined to the name of a thing, or the name of an AWS resource. */
const NAME = /^(?:arn:.*|[A-Z]?[a-z]{0,24}(?:[A-Z][a-z]{1,24}|[-_./][A-Z]?[a-z]{0,24}){0,8}[:!?]?)$/;
/** A place in a text, an amount, a status. */
const SMALL_NUMBER = /^\d{1,5}[.:!?]?$/;
const MASKED = /^\\?["']?\*+\\?["']?$/;

/**
 * Masks the credentials in a text: what has the shape of a key, and what a name of credentials is set to. Sentences stay as they are:
 * "token limit: 4096 exceeded", "password: must contain 8 characters". Masking a second time changes nothing.
 */
export function scrubText(text: string): string {
  return SHAPES.reduce((scrubbed, shape) => scrubbed.replace(shape, MASK), text)
    .replace(USER_OF_URL, `$1${MASK}@`)
    .replace(AUTHORIZATION, maskAuthorization)
    .replace(COOKIE, `$1${MASK}`)
    .replace(BEARER, (all: string, before: string, value: string) => (WORD.test(value) ? all : before + MASK))
    .replace(BASIC, (all: string, before: string, value: string) => (NAME.test(value) ? all : before + MASK))
    .replace(SIGNATURE, `$1${MASK}`)
    .replace(QUERY, `$1${MASK}`)
    .replace(NAMED, maskNamed);
}

function maskAuthorization(all: string, before: string, value: string, rest: string): string {
  if (MASKED.test(value)) return all;
  if (isQuoted(value)) return before + maskValue(value) + rest;
  if (SCHEME.test(value) && rest.trim() !== '') return before + MASK;
  return WORD.test(value) ? all : before + MASK + rest;
}

function maskNamed(all: string, before: string, value: string): string {
  if (MASKED.test(value)) return all;
  // After a colon there may be the rest of a sentence; after "=" there is a value.
  const saysSomething = before.trimEnd().endsWith(':') && !isQuoted(value);
  if (saysSomething && (SMALL_NUMBER.test(value) || (/\s$/.test(before) && NAME.test(value)))) return all;
  return before + maskValue(value);
}

const isQuoted = (value: string): boolean => /^\\?["']/.test(value);

function maskValue(value: string): string {
  const quote = /^\\?["']?/.exec(value)?.[0] ?? '';
  return quote + MASK + (value.length > quote.length && value.endsWith(quote) ? quote : '');
}

/** Looked at beyond the cut, so that no credential is cut in two before it is masked. */
const WINDOW = 1_024;

/** Masks the credentials in a text and cuts it to `max` characters, naming how many there were. */
export function scrubAndCut(text: string, max: number): string {
  const masked = scrubText(text.slice(0, max + WINDOW));
  if (text.length <= max && masked.length <= max) return masked.toWellFormed();
  const mark = `… (${text.length} characters)`;
  return masked.slice(0, max - mark.length).toWellFormed() + mark;
}
