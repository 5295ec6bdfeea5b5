import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { jobId } from '../../src/bullmq/JobData.ts';
import { queueName } from '../../src/bullmq/index.ts';
import type { LeaderQueue } from '../../src/bullmq/LeaderQueue.ts';
import { RemoteAttempts } from '../../src/bullmq/RemoteAttempts.ts';
import { decodeResult, encodeResult } from '../../src/bullmq/Result.ts';
import type { AttemptOwner, AttemptRequest } from '../../src/client/attempt/RunningAttempt.ts';
import { systemClock } from '../../src/client/Clock.ts';

const page = { stage: 'reviews', operation: 'mapsReviews', query: { data_id: '1', next_page_token: 'b' } };

describe('jobId', () => {
  it('is the same whatever the order of the parameters', () => {
    expect(jobId({ ...page, query: { next_page_token: 'b', data_id: '1' } }, 1)).toBe(jobId(page, 1));
  });

  it.each([
    [{ ...page, stage: 'again' }, 1],
    [{ ...page, operation: 'mapsPhotos' }, 1],
    [{ ...page, query: { data_id: '1' } }, 1],
    [{ ...page, query: { data_id: 1, next_page_token: 'b' } }, 1],
    [page, 2],
  ])('is another for %j, attempt %d', (other, attempt) => {
    expect(jobId(other, attempt)).not.toBe(jobId(page, 1));
  });

  it('holds nothing that BullMQ reads as a separator', () => {
    expect(jobId(page, 12)).toMatch(/^[\w-]{22}-12$/);
  });
});

describe('queueName', () => {
  it.each([
    ['coffee', 'trawler-coffee'],
    ['Café: the 2nd/3rd', 'trawler-Café-the-2nd-3rd'],
  ])('of %s is %s', (name, queue) => {
    expect(queueName({ name })).toBe(queue);
  });
});

describe('encodeResult', () => {
  const response = {
    kind: 'payload',
    good: true,
    code: 200,
    message: 'ok',
    data: { rows: ['x'], ['__proto__']: 1 },
    requestId: 'r',
    timestamp: 1,
  } as const;

  it.each([1, 100_000])('brings a response with %d bytes of text back as it was', async (length) => {
    const result = { response: { ...response, data: { ...response.data, text: 'é'.repeat(length) } }, bytes: 7 };
    const text = await encodeResult(result, (clean) => clean);
    expect(decodeResult(text)).toEqual(result);
    expect(text.length).toBeLessThan(2000);
  });
});

describe('decodeResult', () => {
  const failure = { kind: 'network', error: 'NetworkError', what: 'gone' };
  const good = { format: 1, response: { kind: 'payload', good: true, data: {}, requestId: 'r', timestamp: 1 }, bytes: 7 };
  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['no response', { format: 1, response: null, bytes: 1 }],
    ['no failure', { format: 1, failure: null }],
    ['a failure of an unknown kind', { format: 1, failure: { ...failure, kind: 'odd' } }],
    ['a response of an unknown kind', { ...good, response: { kind: 'odd' } }],
    ['a response without data', { ...good, response: { ...good.response, data: 3 } }],
    ['another version', { ...good, format: 2 }],
    ['no version', { failure }],
    ['a list', []],
    ['nothing', null],
  ])('refuses %s', (_, value) => {
    expect(() => decodeResult(JSON.stringify(value))).toThrow(
      /it is no result, or one of another version of trawler|incorrect header check|unexpected end of file/,
    );
  });

  it('takes what a worker of this version brings', () => {
    expect(decodeResult(JSON.stringify({ format: 1, failure }))).toEqual({ failure });
    expect(decodeResult(JSON.stringify(good))).toEqual({ response: good.response, bytes: 7 });
  });

  it('unpacks no more than any response can be', () => {
    const bomb = gzipSync(Buffer.alloc(150 * 1024 * 1024, 0x20)).toString('base64');
    expect(() => decodeResult(bomb)).toThrow(/larger than/);
  });
});

describe('RemoteAttempts', () => {
  it("takes the other results when one of them can't be taken, and retries that query", () => {
    const attempts = new RemoteAttempts({ add: () => {}, drop: () => Promise.resolve() } as unknown as LeaderQueue, systemClock);
    const seen: string[] = [];
    const owner = (name: string, fails: boolean): AttemptOwner => ({
      arrived: () => {},
      came: () => {
        if (fails) throw new Error('no room');
        seen.push(`${name} came`);
      },
      failed: ({ kind, what }) => {
        seen.push(`${name} ${kind}: ${what}`);
        if (name === 'b') throw new Error('not even that');
      },
    });
    vi.useFakeTimers({ toFake: ['setImmediate'] });
    onTestFinished(() => void vi.useRealTimers());
    const ids = ['a', 'b', 'b2', 'c'].map((name) => {
      const request = {
        operation: { name: 'mapsReviews' },
        query: { data_id: name },
        label: 'reviews',
        number: 1,
      } as unknown as AttemptRequest;
      const remote = attempts.make(owner(name, name.startsWith('b')), request);
      remote.send();
      return (remote as unknown as { readonly id: string }).id;
    });
    const body = JSON.stringify({ format: 1, response: { kind: 'payload', good: true, data: {}, requestId: 'r', timestamp: 1 }, bytes: 7 });
    attempts.take(ids.map((job, at) => ({ at: String(at), job, good: true, ms: 1, body })));
    const lost = "lost: what a worker brought can't be taken: Error: no room";
    expect(seen).toEqual(['a came', `b ${lost}`, `b2 ${lost}`, 'c came']);
    expect(() => vi.runAllTimers()).toThrow('not even that'); // a query that would wait for ever ends the process
    expect(attempts.size).toBe(0);
  });
});
