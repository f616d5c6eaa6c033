import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrubText } from '../../../lib/values/scrub-text.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nx9q3\n-----END RSA PRIVATE KEY-----';

/** What it is, a text that holds it, and the credential itself. */
const CREDENTIALS: readonly (readonly [name: string, text: string, secret: string])[] = [
  ['a bearer token', 'rejected Bearer abc123def456 here', 'abc123def456'],
  ['a bearer token in small letters', 'sent bearer k3yk3yk3y', 'k3yk3yk3y'],
  ['a bearer token of letters and dashes', 'rejected Bearer my-secret-token', 'my-secret-token'],
  ['basic credentials', 'rejected Basic dXNlcjpwYXNz here', 'dXNlcjpwYXNz'],
  ['padded basic credentials', 'rejected Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA=='],
  ['an Authorization header', 'Authorization: Bearer secret', 'secret'],
  ['an Authorization header in JSON', '{"authorization":"Bearer secret"}', 'secret'],
  ['an Authorization header without a scheme', 'authorization: a1b2c3d4', 'a1b2c3d4'],
  [
    'a signed AWS request',
    'Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20260101/eu-west-1/sqs/aws4_request, SignedHeaders=host, Signature=fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024',
    'fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024',
  ],
  ['an API key header', 'x-api-key: 9f8e7d6c5b4a', '9f8e7d6c5b4a'],
  ['another API key header', 'Ocp-Apim-Subscription-Key: 9f8e7d6c5b4a', '9f8e7d6c5b4a'],
  ['a cookie', 'Cookie: session=abcdef; theme=dark', 'abcdef'],
  ['a set cookie', 'set-cookie: sid=abcdef; HttpOnly', 'abcdef'],
  ['user and password of a URL', 'GET https://user:hunter@host/path failed', 'hunter'],
  ['a password with an @ in a URL', 'connect postgres://app:p@ss@db:5432/x', 'ss@db'],
  ['a password without a user in a URL', 'connect redis://:hunter@cache:6379', 'hunter'],
  ['a token as the user of a URL', 'clone https://0123456789abcdef0123@git.example.com/x', '0123456789abcdef0123'],
  ['api_key in a query', 'GET https://host/path?a=1&api_key=abcdef&b=2', 'abcdef'],
  ['apiKey at the beginning of a query', '/path?apiKey=abcdef', 'abcdef'],
  ['access_token in a query', 'https://host/?access_token=abcdef#top', 'abcdef'],
  ['key in a query', 'https://host/v1/models?key=A1b2C3d4E5f6G7h8I9j0', 'A1b2C3d4E5f6G7h8I9j0'],
  ['a signed URL', 'https://b.s3.amazonaws.com/k?X-Amz-Signature=abcdef0123456789abcdef', 'abcdef0123456789abcdef'],
  ['a session token of a signed URL', 'https://b/k?X-Amz-Security-Token=IQoJb3JpZ2lu', 'IQoJb3JpZ2lu'],
  ['a shared access signature', 'https://x.blob/k?sv=1&sig=abc%2Fdef0123456789', 'abc%2Fdef0123456789'],
  ['token=', 'login failed: token=abc', 'abc'],
  ['password =', 'password = hunter', 'hunter'],
  ['an environment variable', 'GITHUB_TOKEN=abcdef AWS_REGION=eu', 'abcdef'],
  ['the secret key of AWS', 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG', 'wJalrXUtnFEMI/K7MDENG'],
  ['an account key', 'DefaultEndpointsProtocol=https;AccountKey=abc+/def==;x', 'abc+/def=='],
  ['a JSON member', '{"password":"hunter"}', 'hunter'],
  ['a JSON member with blanks', '{"client_secret" : "correct horse battery"}', 'horse'],
  ['a JSON member with a quote', String.raw`{"secret":"a\"bcd"}`, 'bcd'],
  ['JSON inside JSON', String.raw`{"body":"{\"token\":\"abcdef\"}"}`, 'abcdef'],
  ['an inspected object', "{ user: 'a', password: 'hunter' }", 'hunter'],
  ['token: with a value that is no word', 'invalid token: 1a2b3c', '1a2b3c'],
  ['password:', 'password: hunter2', 'hunter2'],
  ['password: without a blank', 'password:hunter', 'hunter'],
  ['a JSON web token', `got ${JWT}.`, JWT],
  ['a private key', `key ${PEM} end`, 'MIIEowIBAAKCAQEA'],
  ['an AWS key id', 'user AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
  ['a temporary AWS key id', 'user ASIAIOSFODNN7EXAMPLE', 'ASIAIOSFODNN7EXAMPLE'],
  ['a model provider key', 'Incorrect API key provided: sk-proj-a1b2c3d4e5f6g7h8i9', 'a1b2c3d4e5f6g7h8i9'],
  ['another model provider key', 'sk-ant-api03-a1b2c3d4e5f6-g7h8', 'a1b2c3d4e5f6'],
  ['a Google key', 'AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q', 'AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q'],
  ['a payment key', 'sk_live_a1b2c3d4e5f6g7h8', 'a1b2c3d4e5f6g7h8'],
  ['a GitHub token', 'ghp_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6', 'ghp_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6'],
  ['a fine-grained GitHub token', 'github_pat_11ABCDEFG0a1b2c3d4e5f6', '11ABCDEFG0a1b2c3d4e5f6'],
  ['a chat token', 'xoxb-123456789012-abcdefABCDEF', '123456789012-abcdefABCDEF'],
  ['a GitLab token', 'glpat-a1b2c3d4e5f6g7h8i9j0', 'a1b2c3d4e5f6g7h8i9j0'],
];

describe('a credential does not stay in a text', () => {
  it.each(CREDENTIALS)('%s', (_name, text, secret) => {
    expect(text).toContain(secret);
    expect(scrubText(text)).not.toContain(secret);
    expect(scrubText(text)).toContain('***');
  });

  it('wherever it stands', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...CREDENTIALS), fc.string(), (before, [, text, secret], after) => {
        expect(scrubText(`${before} ${text} ${after}`)).not.toContain(secret);
      }),
      { numRuns: 1_000 },
    );
  });

  it('but what stands around it does', () => {
    expect(scrubText('GET https://user:hunter@api.example.com/v1?id=7&api_key=abcdef&page=2 failed: 401')).toBe(
      'GET https://***@api.example.com/v1?id=7&api_key=***&page=2 failed: 401',
    );
    expect(scrubText('{"user":"ada","password":"hunter","at":5}')).toBe('{"user":"ada","password":"***","at":5}');
    expect(scrubText(`before ${PEM} after`)).toBe('before *** after');
    expect(scrubText('AWS_REGION=eu-west-1 GITHUB_TOKEN=abcdef HOME=/root')).toBe(
      'AWS_REGION=eu-west-1 GITHUB_TOKEN=*** HOME=/root',
    );
  });
});

const ORDINARY: readonly string[] = [
  'token limit: 4096 exceeded',
  'max_tokens=4096 is above the limit of 2048',
  'prompt tokens: 1200, completion tokens: 300',
  'tokenCount: 12',
  '{"usage":{"total_tokens":1500,"maxTokens":4096}}',
  'key=pr-7',
  'key: pr-7',
  'https://shop.example.com/items?key=pr-7&page=2',
  'Duplicate key: orders/5',
  'duplicate key value violates unique constraint "pk_customer_orders_by_date"',
  'partition key: KEY#code_review#pr-7, sort key: HEAD',
  'idempotencyKey=order-17',
  'cache key=9f8e7d6c5b4a missed',
  'SyntaxError: Unexpected token \':\', "{"a"::1}" is not valid JSON',
  "Unexpected token: 'foo' in line 3",
  'Unexpected token: punc (,)',
  'Unexpected token: <EOF>',
  'expected token: 7',
  'Invalid token: expired',
  'Invalid token: must be a string',
  'password: must contain at least 8 characters',
  'secret: not found',
  "Secrets Manager can't find the specified secret: prod/openai",
  'secret: arn:aws:secretsmanager:eu-west-1:111122223333:secret:prod/openai-AbCdEf',
  'Bearer authentication required',
  'bearer tokens are not accepted here',
  'Bearer token is missing.',
  'Basic authentication failed',
  'basic information is missing',
  'Basic AuthProvider is not configured',
  'the authorization header is missing',
  'Authorization: required',
  'Invalid signature: expected 3 arguments',
  'Cookie: not allowed here',
  'if (token === null) return',
  'token => token.type',
  'WWW-Authenticate: Bearer realm="example", error="invalid_request"',
  'see https://docs.example.com:8080/guide?page=2#tokens',
  'mail ada@example.com or https://example.com/@ada',
  'http://localhost:4566/000000000000/queue',
  's3://bucket/payload/run-1/abcdef0123456789',
  'run code_review:7f3a, request pr-7@3f2a',
  'task-12345678901234567890 and disk-a1b2c3d4e5f6g7h8',
  'The value has 401 bytes; status=SUCCESS; code=ECONNRESET',
  'https://host/callback?code=INTERNAL_SERVER_ERROR',
];

describe('ordinary text stays as it is', () => {
  it.each(ORDINARY)('%s', (text) => {
    expect(scrubText(text)).toBe(text);
  });
});

describe('masking', () => {
  it('of a masked text changes nothing, so that a replayed error can be recorded again', () => {
    const texts = fc.constantFrom(...CREDENTIALS.map(([, text]) => text), ...ORDINARY);
    fc.assert(
      fc.property(fc.string(), texts, fc.string(), texts, (before, first, between, second) => {
        const masked = scrubText(`${before}\n${first}\n${between}\n${second}`);
        expect(scrubText(masked)).toBe(masked);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['one long word', 'a'.repeat(10_000)],
    ['short words', 'a.'.repeat(5_000)],
    ['dashes', '-'.repeat(10_000)],
    ['blanks after a name', `token${' '.repeat(10_000)}`],
    ['names without values', 'token '.repeat(2_000)],
    ['names in each other', 'token.'.repeat(2_000)],
    ['open quotes', 'token="'.repeat(1_500)],
    ['backslashes', `token="${'\\'.repeat(10_000)}`],
    ['addresses', 'a://b:'.repeat(2_000)],
    ['colons', `a://${':'.repeat(10_000)}`],
    ['open keys', '-----BEGIN PRIVATE KEY-----'.repeat(400)],
    ['headers', 'authorization: '.repeat(700)],
    ['cookies', 'cookie:'.repeat(1_500)],
    ['bearers', 'bearer '.repeat(1_500)],
    ['web tokens', 'eyJ'.repeat(3_500)],
    ['query parts', '?key=1'.repeat(1_700)],
    ['provider keys', 'sk-'.repeat(3_500)],
  ])('takes no longer for a text that is made to be slow: %s', (_name, text) => {
    const start = performance.now();
    scrubText(text);
    // A few milliseconds; backtracking over each start would take seconds.
    expect(performance.now() - start).toBeLessThan(500);
  });
});
