import { describe, expect, it } from 'vitest';
import { backoffMs } from '../../../operators/limits/backoff.ts';
import { RetryQuota } from '../../../src/client/attempt/RetryQuota.ts';
import { codeOf, networkKind, retryRules, statusKind } from '../../../src/client/attempt/retryRules.ts';

describe('statusKind', () => {
  it('knows the statuses that pass', () => {
    const statuses = Array.from({ length: 500 }, (_, n) => n + 100);
    expect(statuses.filter((status) => retryRules[statusKind(status)].retries > 0)).toEqual([408, 425, 429, 500, 502, 503, 504, 522, 524]);
    expect(statuses.filter((status) => statusKind(status) === 'auth')).toEqual([401, 403]);
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
  ])('gives up after %s', (code) => expect(networkKind(code)).toBe('final'));
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

describe('RetryQuota', () => {
  it('is empty after a hundred retries, and refills by one per page', () => {
    const quota = new RetryQuota();
    quota.giveBack();
    for (let n = 0; n < 100; n++) expect(quota.take(5)).toBe(true);
    expect(quota.take(5)).toBe(false);
    for (let n = 0; n < 5; n++) quota.giveBack();
    expect(quota.take(10)).toBe(false);
    expect(quota.take(5)).toBe(true);
  });
});
