import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientOptions } from '../../../src/client/ClientOptions.ts';
import { resolveOptions } from '../../../src/client/options/resolveOptions.ts';
import { searchService } from '../../../src/search/index.ts';
import { TrawlerError } from '../../../src/errors/index.ts';

const fine: ClientOptions = { baseUrl: 'https://api.example.com', apiKey: 'abc' };
const resolve = (options: object) => resolveOptions(searchService, { ...fine, ...options });

beforeEach(() => {
  vi.stubEnv('TRAWLER_BASE_URL', '');
  vi.stubEnv('TRAWLER_API_KEY', '');
});
afterEach(() => vi.unstubAllEnvs());

describe('resolveOptions', () => {
  it('knows its defaults', () => {
    const { settings, given } = resolve({});
    expect(given).toEqual({ key: 'abc', values: {} });
    expect(settings).toMatchObject({
      address: { origin: 'https://api.example.com', prefix: '/api/v1/engine' },
      concurrency: 8,
      maxAttempts: 5,
      baseMs: 500,
      capMs: 30_000,
      maxRetryAfterMs: 300_000,
      totalMs: 600_000,
      timeoutMs: 60_000,
      maxRequests: Infinity,
      validate: 'report',
      maxDriftShare: 0.5,
      maxBodyBytes: 33_554_432,
    });
  });

  it.each([
    [{ concurrency: 0 }, 'concurrency', '0'],
    [{ concurrency: 1.5 }, 'concurrency', '1.5'],
    [{ concurrency: '8' }, 'concurrency', "'8'"],
    [{ concurrency: Number.NaN }, 'concurrency', 'NaN'],
    [{ rate: 'fast' }, 'rate', "'fast'"],
    [{ rate: { requests: 0, perMs: 1000 } }, 'rate.requests', '0'],
    [{ rate: { requests: 5, perMs: 0 } }, 'rate.perMs', '0'],
    [{ rate: { requests: 5 } }, 'rate', '{"requests":5}'],
    [{ retry: { maxAttempts: 0 } }, 'retry.maxAttempts', '0'],
    [{ retry: { baseMs: -1 } }, 'retry.baseMs', '-1'],
    [{ retry: { totalMs: Number.NaN } }, 'retry.totalMs', 'NaN'],
    [{ retry: { attempts: 3 } }, 'retry.attempts', 'maxAttempts'],
    [{ timeoutMs: 0 }, 'timeoutMs', '0'],
    [{ maxRequests: -1 }, 'maxRequests', '-1'],
    [{ maxRequests: 1.5 }, 'maxRequests', '1.5'],
    [{ validate: 'loose' }, 'validate', "'loose'"],
    [{ maxDriftShare: 2 }, 'maxDriftShare', '2'],
    [{ retry: { statuses: { 500: 'maybe' } } }, 'retry.statuses[500]', "'maybe'"],
    [{ retry: { codes: { oops: 'maybe' } } }, 'retry.codes.oops', "'maybe'"],
    [{ maxBodyBytes: 2 ** 40 }, 'maxBodyBytes', '1099511627776'],
    [{ dispatcher: {} }, 'dispatcher', 'Dispatcher'],
    [{ timeout: 5 }, 'timeout', 'timeoutMs'],
    [{ retry: 5 }, 'retry', '5'],
    [{ allowInsecureHttp: 'yes' }, 'allowInsecureHttp', "'yes'"],
    [{ clock: {} }, 'clock', '{}'],
  ])('refuses %j, naming option and value', (options, option, value) => {
    expect(() => resolve(options)).toThrow(RangeError);
    expect(() => resolve(options)).toThrow(`createClient: `);
    expect(() => resolve(options)).toThrow(option);
    expect(() => resolve(options)).toThrow(value);
  });

  it('names what is missing, and where it may come from', () => {
    expect(() => resolveOptions(searchService, { apiKey: 'abc' })).toThrow(TrawlerError);
    expect(() => resolveOptions(searchService, { apiKey: 'abc' })).toThrow(/baseUrl is missing.*TRAWLER_BASE_URL/);
    expect(() => resolveOptions(searchService, { baseUrl: 'https://a.example' })).toThrow(/apiKey is missing.*TRAWLER_API_KEY/);
    expect(() => resolve({ apiKey: '' })).toThrow(/apiKey is missing/);
  });

  it.each(['s3cret\r\nx-evil: 1', 's3cret\n', ' s3cret', 's3cret\u0000', 's3crét', 's3 cret'])(
    'refuses the key %j without printing it',
    (apiKey) => {
      expect(() => resolve({ apiKey })).toThrow(RangeError);
      expect(() => resolve({ apiKey })).toThrow(/apiKey/);
      expect(() => resolve({ apiKey })).toThrow(/^(?!.*s3)/s);
    },
  );
});
