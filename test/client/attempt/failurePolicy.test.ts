import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../operators/limits/backoff.ts';
import { failurePolicy } from '../../../src/client/attempt/failurePolicy.ts';
import type { FailureSpec } from '../../../src/contract/index.ts';
import { codeOf, networkKind } from '../../../src/client/attempt/AttemptFailure.ts';
import { failureKinds, type FailureKind } from '../../../src/errors/TrawlerError.ts';

const all = Array.from({ length: 500 }, (_, n) => n + 100);

describe('failurePolicy', () => {
  it('knows the statuses that are temporary, those that refuse the key, and those that may be gone later', () => {
    const { ofStatus } = failurePolicy();
    const having = (test: (kind: FailureKind) => boolean) => all.filter((status) => test(ofStatus(status)));
    expect(having((kind) => failureKinds[kind].retries > 0)).toEqual([408, 425, 429, 500, 502, 503, 504, 522, 524]);
    expect(having((kind) => kind === 'auth')).toEqual([401, 403]);
    expect(having((kind) => failureKinds[kind].passes)).toEqual([408, 425, 429, ...all.filter((status) => status >= 500)]);
  });

  it('reads a code as the status with that number, and retries it twice unless it is known', () => {
    const { ofCode } = failurePolicy();
    const codes = [401, 404, 408, 429, 500, 520, 600, 7, 'maxlag', undefined];
    expect(codes.map(ofCode)).toEqual([
      ...['auth', 'final', 'busyCode', 'throttled', 'busyCode'],
      ...['busyCode', 'unknownCode', 'unknownCode', 'unknownCode', 'unknownCode'],
    ]);
  });

  it("takes the user's word first, then the service's, of several rules the first", () => {
    const declared = [
      { status: 520, means: 'busy' },
      { status: 520, means: 'final' },
      { status: 530, means: 'throttled' },
      { at: 'code', is: 'maxlag', means: 'throttled' },
    ] as const;
    const policy = failurePolicy({ failures: declared }, { statuses: { 500: 'final', 530: 'busy' }, codes: { 7: 'busy' } });
    const means = (status: number, code?: unknown) => policy.judge?.(status, {}, 0)?.({ code }, code)?.means;
    expect([520, 530, 500, 503].map((status) => means(status))).toEqual(['busy', 'busy', 'final', undefined]);
    expect(['maxlag', 7, 500].map((code) => means(200, code))).toEqual(['throttled', 'busy', undefined]);
  });

  it('costs a response nothing if no rule is for its status', () => {
    expect(failurePolicy({ failures: [{ status: 429, means: 'quota' }] }).judge?.(200, {}, 0)).toBeUndefined();
  });

  const at = { at: 'error.code', means: 'busy' } as const;
  const anyOf = { at: 'errors[].extensions.code', means: 'busy' } as const;
  it.each<[boolean, FailureSpec, { readonly status?: number; readonly headers?: IncomingHttpHeaders; readonly body?: unknown }]>([
    [true, { at: 'header:X-Left', is: '0', means: 'busy' }, { headers: { 'x-left': '0.0' } }],
    [false, { at: 'header:X-Left', is: '0', means: 'busy' }, { headers: { 'x-left': '10' } }],
    [false, { at: 'header:X-Left', is: '0', means: 'busy' }, {}],
    [true, { at: 'header:X-Why', is: '*used up', means: 'busy' }, { headers: { 'x-why': 'all used up ' } }],
    [true, { status: 403, at: 'header:a', is: '1', means: 'busy' }, { status: 403, headers: { a: '1' } }],
    [false, { status: 403, at: 'header:a', is: '1', means: 'busy' }, { headers: { a: '1' } }],
    [true, { ...at, is: ['*later.', 'other'] }, { body: { error: { code: 'Try again later.' } } }],
    [false, { ...at, is: '*later.' }, { body: { error: { code: 'Later. Or now' } } }],
    [true, { ...at, is: 'maxlag' }, { body: { error: { code: 'maxlag' } } }],
    [true, { ...at, is: ['ratelimited', 'maxlag'] }, { body: { error: { code: 'maxlag' } } }],
    [true, { ...at, is: 7 }, { body: { error: { code: '7' } } }],
    [false, { ...at, is: ['ratelimited'] }, { body: { error: { code: 'maxlag' } } }],
    [true, { ...at, is: false }, { body: { error: { code: false } } }],
    [true, at, { body: { error: { code: 'any' } } }],
    [false, at, { body: { error: { code: null } } }],
    [false, at, { body: 'no object' }],
    [true, { at: 'errors.0.type', is: 'LIMIT', means: 'busy' }, { body: { errors: [{ type: 'LIMIT' }] } }],
    [true, { ...anyOf, is: 'LIMIT' }, { body: { errors: [{}, { extensions: { code: 'LIMIT' } }] } }],
    [true, anyOf, { body: { errors: [{ extensions: { code: '' } }, { extensions: { code: 'LIMIT' } }] } }],
    [false, { ...anyOf, is: 'LIMIT' }, { body: { errors: [{ extensions: { code: 'OTHER' } }] } }],
    [false, { ...anyOf, is: 'LIMIT' }, { body: { errors: null } }],
    [false, anyOf, { body: 'no object' }],
  ])('fits: %j %j %j', (fits, rule, { status = 200, headers = {}, body = {} }) => {
    expect(failurePolicy({ failures: [rule] }).judge?.(status, headers, 0)?.(body, undefined)?.means).toBe(fits ? 'busy' : undefined);
  });

  const wall = Date.UTC(2026, 0, 1);
  it.each<[number | undefined, string | number | null]>([
    [2000, '2.0'],
    [90_000, 90],
    [90_000, '1m30s'],
    [9000, String(wall / 1000 + 9)],
    [9500, wall / 1000 + 9.5],
    [1500, String(wall + 1500)],
    [9000, new Date(wall + 9000).toUTCString()],
    [9000, new Date(wall + 9000).toISOString()],
    [9000, '2026-01-01T01:00:09+01:00'],
    [-9000, wall / 1000 - 9],
    [undefined, 'soon'],
    [undefined, null],
  ])('waits %s ms, as it says %s', (waitMs, said) => {
    const wait = (rule: FailureSpec, headers: IncomingHttpHeaders, body: unknown) =>
      failurePolicy({ failures: [rule] }).judge?.(429, headers, wall)!(body, undefined)?.waitMs;
    const rule = { status: 429, means: 'quota' } as const;
    expect(wait({ ...rule, until: 'reset.at' }, {}, { reset: { at: said } })).toBe(waitMs);
    expect(wait({ ...rule, until: 'header:X-Reset' }, { 'x-reset': String(said) }, undefined)).toBe(waitMs);
  });

  it('takes no inherited name for a status or a code', () => {
    expect(failurePolicy().ofCode('constructor')).toBe('unknownCode');
  });
});

describe('failureKinds', () => {
  it('are in the guide, with their retries and whether they may pass', () => {
    const guide = readFileSync('docs/cost.md', 'utf8');
    const said = [...guide.matchAll(/^\|[^|]+\| `(\w+)` \| (until|\d+)[^|]*\| (yes|no) \|$/gm)].map(([, ...cells]) => cells);
    const are = Object.entries(failureKinds).map(([kind, { retries, passes }]) => [
      kind,
      retries === Infinity ? 'until' : String(retries),
      passes ? 'yes' : 'no',
    ]);
    expect(said.map(String).sort()).toEqual(are.map(String).sort());
  });
});

describe('networkKind', () => {
  it.each([
    'ENOTFOUND',
    'EAI_AGAIN',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'UND_ERR_SOCKET',
    'UND_ERR_CONNECT_TIMEOUT',
    undefined,
  ])('tries again after %s', (code) => expect(networkKind(code)).toBe('network'));
  it.each(['HPE_INVALID_CONSTANT', 'HPE_UNEXPECTED_CONTENT_LENGTH', 'UND_ERR_HEADERS_OVERFLOW'])('tries once more after %s', (code) => {
    expect(networkKind(code)).toBe('rubbish');
  });
  it.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'EPROTO',
    'ERR_INVALID_URL',
  ])('gives up after %s', (code) => expect(networkKind(code)).toBe('away'));
});

describe('codeOf', () => {
  it('finds a code in the error, its cause, or the first of several', () => {
    expect(codeOf(Object.assign(new Error('a'), { code: 'A' }))).toBe('A');
    expect(codeOf(new Error('a', { cause: Object.assign(new Error('b'), { code: 'B' }) }))).toBe('B');
    expect(codeOf(new AggregateError([Object.assign(new Error('c'), { code: 'C' })]))).toBe('C');
    expect(codeOf(new Error('none'))).toBeUndefined();
  });

  it("doesn't loop over circular causes", () => {
    const error = new Error('a');
    error.cause = error;
    expect(codeOf(error)).toBeUndefined();
  });
});

describe('backoffMs', () => {
  it('doubles its reach up to the cap, with full jitter', () => {
    const reach = [1, 2, 3, 4, 8, 2000].map((failures) => backoffMs(failures, 1, 500, 30_000));
    expect(reach).toEqual([500, 1000, 2000, 4000, 30_000, 30_000]);
    expect(backoffMs(3, 0, 500, 30_000)).toBe(0);
    expect(backoffMs(3, 0.25, 500, 30_000)).toBe(500);
  });
});
