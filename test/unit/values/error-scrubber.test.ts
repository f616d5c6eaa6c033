import { describe, expect, it } from 'vitest';
import { decodeThrown, describeThrown, encodeThrown } from '../../../lib/values/error-codec.ts';
import { scrubbedFields } from '../../../lib/values/error-scrubber.ts';

const SECRETS = ['hunter2', 's3cr3t-value', 'a1b2c3d4e5f6', 'wJalrXUtnFEMI', 'abcdef0123456789'];

/** What an HTTP client throws: an error with the request, its headers and the answer. */
const httpError = () =>
  Object.assign(
    new Error('Request failed with status code 401: GET https://user:hunter2@api.example.com/v1?api_key=a1b2c3d4e5f6'),
    {
      name: 'AxiosError',
      code: 'ERR_BAD_REQUEST',
      status: 401,
      config: { url: '/v1', headers: { Authorization: 'Bearer s3cr3t-value' }, auth: { password: 'hunter2' } },
      request: { _header: 'GET /v1 HTTP/1.1\r\nAuthorization: Bearer s3cr3t-value' },
      response: { data: 'token=wJalrXUtnFEMI', headers: { 'set-cookie': ['sid=abcdef0123456789'] } },
    },
  );

describe('an error of an HTTP client', () => {
  const error = new Error('The review could not be fetched.', { cause: httpError() });

  it.each([
    ['its stored form', encodeThrown(error)],
    ['the status message', JSON.stringify(describeThrown(httpError()))],
    ['what a replay throws', JSON.stringify((decodeThrown(encodeThrown(error)) as Error).cause)],
  ])('leaves no credential in %s', (_name, text) => {
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  });

  it('still says what went wrong', () => {
    const replayed = (decodeThrown(encodeThrown(error)) as Error).cause;
    expect(replayed).toMatchObject({ name: 'AxiosError', code: 'ERR_BAD_REQUEST', status: 401 });
    expect((replayed as Error).message).toContain(
      'Request failed with status code 401: GET https://***@api.example.com/v1',
    );
  });

  it('leaves none when a plain object is thrown instead', () => {
    const { config, request, response, status } = httpError();
    const text = encodeThrown({ config, request, response, status, body: 'password=hunter2' });
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(text).toContain('401');
  });

  it('leaves none when text is thrown instead', () => {
    expect(encodeThrown('login failed: token=wJalrXUtnFEMI')).not.toContain('wJalrXUtnFEMI');
  });
});

describe('members of an error', () => {
  const fields = (members: object) => scrubbedFields(Object.assign(new Error('x'), members), true);

  it.each([
    'password',
    'passwd',
    'dbPassword',
    'passphrase',
    'secret',
    'clientSecret',
    'token',
    'accessToken',
    'id_token',
    'apiKey',
    'api_key',
    'x-api-key',
    'secretAccessKey',
    'accessKeyId',
    'privateKey',
    'credentials',
    'authorization',
    'Authorization',
    'auth',
    'cookie',
    'set-cookie',
    'signature',
    'headers',
    'rawHeaders',
    'responseHeaders',
    'config',
    'request',
    'response',
    'options',
    'socket',
    'agent',
    '_header',
    '_options',
  ])('"%s" is left out, also inside another', (name) => {
    expect(
      fields({ [name]: 'hunter2', data: { [name]: { deep: 'hunter2' } }, list: [{ [name]: ['hunter2'] }] }),
    ).toEqual({
      data: {},
      list: [{}],
    });
  });

  it.each([
    ['status', 401],
    ['statusCode', 503],
    ['retryable', false],
    ['requestId', '8b1f-77'],
    ['key', 'pr-7'],
    ['maxTokens', 4096],
    ['promptTokens', 12],
    ['tokenCount', 7],
    ['authorId', 'ada'],
    ['path', ['a', 0, 'b']],
    ['data', { reason: 'limit', at: null }],
    ['url', 'https://example.com/v1?page=2'],
    ['$metadata', { httpStatusCode: 400, attempts: 3 }],
    ['constructor', 'x'],
  ])('"%s" is kept', (name, value) => {
    expect(fields({ [name]: value })).toEqual({ [name]: value });
  });

  it('are scrubbed where they are text', () => {
    expect(fields({ url: 'https://user:hunter2@host/?token=abc', body: ['password=hunter2'] })).toEqual({
      url: 'https://***@host/?token=***',
      body: ['password=***'],
    });
  });

  it('are left out when they are no JSON', () => {
    expect(fields({ at: new Date(), map: new Map(), run: () => 1, id: Symbol('x'), n: 1n, nan: Number.NaN })).toEqual(
      {},
    );
  });

  it('are cut in length, number and depth', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`m${n}`, n]));
    expect(Object.keys(fields(many)).length).toBe(32);
    expect(String(fields({ long: 'x'.repeat(5_000) }).long)).toMatch(/^x+… \(5000 characters\)$/);
    expect(fields({ a: { b: { c: { d: 1, e: { f: 1 } } } } })).toEqual({ a: { b: { c: { d: 1 } } } });
  });
});
