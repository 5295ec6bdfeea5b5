import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { jobId, pageId, type PageData } from '../../src/bullmq/JobData.ts';
import { queueName } from '../../src/bullmq/index.ts';
import type { Entry, LeaderQueue } from '../../src/bullmq/LeaderQueue.ts';
import { RemoteAttempts } from '../../src/bullmq/RemoteAttempts.ts';
import { decodeResult, encodeResult } from '../../src/bullmq/Result.ts';
import { Turns } from '../../src/bullmq/Turns.ts';
import type { AttemptOwner, AttemptRequest } from '../../src/client/attempt/RunningAttempt.ts';
import { systemClock } from '../../src/client/Clock.ts';
import type { Payload } from '../../src/client/response/parseResponse.ts';
import { RowScanner } from '../../src/client/spans/RowScanner.ts';
import { SentRow } from '../../src/client/spans/packSpans.ts';

const page = { stage: 'reviews', operation: 'mapsReviews', query: { data_id: '1', next_page_token: 'b' } };

describe('pageId', () => {
  it('is the same whatever the order of the parameters', () => {
    expect(pageId({ ...page, query: { next_page_token: 'b', data_id: '1' } }, 1)).toBe(pageId(page, 1));
  });

  it.each([
    [{ ...page, stage: 'again' }, 1],
    [{ ...page, operation: 'mapsPhotos' }, 1],
    [{ ...page, query: { data_id: '1' } }, 1],
    [{ ...page, query: { data_id: 1, next_page_token: 'b' } }, 1],
    [page, 2],
  ])('is another for %j, attempt %d', (other, attempt) => {
    expect(pageId(other, attempt)).not.toBe(pageId(page, 1));
  });

  it('holds nothing that BullMQ reads as a separator', () => {
    expect(pageId(page, 12)).toMatch(/^[\w-]{22}-12$/);
  });
});

describe('jobId', () => {
  it('is the id of no page', () => {
    const id = pageId(page, 1);
    expect(jobId([{ id }])).toBe(`${id}+1`);
    expect(jobId([{ id }, { id: 'other' }])).toBe(`${id}+2`);
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
  const keep = (text: string): string => text;

  it('brings a response back as it was', () => {
    const result = { response: { ...response, data: { ...response.data, text: 'é\n'.repeat(1000) } }, bytes: 7 };
    expect(decodeResult(encodeResult(result, [], keep))).toEqual(result);
  });

  it('brings the bytes of rows, of which the named fields are found without parsing', () => {
    const rows = ['{"id":"é1","n":{"a":1},"x":null}', '{"n":2}', '{"id":3}'];
    const body = Buffer.from(`{"rows":[${rows.join()}]}`);
    const spans = new RowScanner(undefined, 'rows').scan(body, body.toString('latin1'), 8)!;
    const sent = encodeResult({ response: { ...response, spans }, bytes: body.length }, ['id', 'none'], keep);
    const { response: there } = decodeResult(sent) as { readonly response: Payload };
    const parse = vi.spyOn(SentRow.prototype, 'parse');
    expect(there.spans!.rows.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(rows);
    expect(there.spans!.rows.map((row) => [row.text('id'), row.field('id'), row.text('none'), row.isFilled('id')])).toEqual([
      ['"é1"', 'é1', undefined, true],
      [undefined, undefined, undefined, false],
      ['3', 3, undefined, true],
    ]);
    expect(parse).not.toHaveBeenCalled();
    expect(there.spans!.rows.map((row) => row.text('n'))).toEqual(['{"a":1}', '2', undefined]);
    expect(parse).toHaveBeenCalledTimes(3);
    expect(there.spans!.rows.map((row) => row.parse())).toEqual(rows.map((row) => JSON.parse(row) as object));
    expect([there.spans!.mark, there.spans!.issues]).toEqual([spans.mark, spans.issues]);
  });

  it('brings the response as it came beside its rows', () => {
    const body = Buffer.from('{"rows":[{"id":1}]}');
    const spans = new RowScanner(undefined, 'rows').scan(body, body.toString('latin1'), 8)!;
    const raw = { status: 200, headers: { etag: 'x' }, url: 'https://service.invalid/', body: Buffer.from([10, 0, 255]) };
    const result = decodeResult(encodeResult({ response: { ...response, spans }, bytes: 19, raw }, [], keep));
    expect(result).toMatchObject({ raw, response: { spans: { mark: spans.mark } } });
  });
});

describe('decodeResult', () => {
  const failure = { kind: 'network', error: 'NetworkError', what: 'gone' };
  const good = { format: 2, response: { kind: 'payload', good: true, data: {}, requestId: 'r', timestamp: 1 }, bytes: 7 };
  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['no response', { format: 2, response: null, bytes: 1 }],
    ['no failure', { format: 2, failure: null }],
    ['a failure of an unknown kind', { format: 2, failure: { ...failure, kind: 'odd' } }],
    ['a response of an unknown kind', { ...good, response: { kind: 'odd' } }],
    ['a response without data', { ...good, response: { ...good.response, data: 3 } }],
    ['rows that are no rows', { ...good, rows: { bytes: 1 } }],
    ['another version', { ...good, format: 1 }],
    ['no version', { failure }],
    ['a list', []],
    ['nothing', null],
  ])('refuses %s', (_, value) => {
    expect(() => decodeResult(Buffer.from(JSON.stringify(value)))).toThrow('it is no result, or one of another version of trawler');
  });

  it.each<[string, readonly number[], string]>([
    ['a row that begins elsewhere', [7, -1, -1], ' {"a":1}'],
    ['a row that ends elsewhere', [6, -1, -1], '{"a":1}'],
    ['more bytes than rows', [7, -1, -1], '{"a":1},{}'],
    ['more rows than bytes', [7, -1, -1, 2, -1, -1], '{"a":1}'],
    ['rows without a comma between them', [2, -1, -1, 2, -1, -1], '{};{}'],
    ['a row of two lines', [8, -1, -1], '{"a":\n1}'],
    ['places that end too early', [2], '{}'],
  ])('refuses %s', (_, places, bytes) => {
    const rows = { bytes: bytes.length, names: ['a'], places, issues: [], mark: 1 };
    expect(() => decodeResult(Buffer.from(`${JSON.stringify({ ...good, rows })}\n${bytes}`))).toThrow('its rows are not wh');
  });

  it('takes what a worker of this version brings', () => {
    expect(decodeResult(Buffer.from(JSON.stringify({ format: 2, failure })))).toEqual({ failure });
    expect(decodeResult(Buffer.from(JSON.stringify(good)))).toEqual({ response: good.response, bytes: 7 });
  });

  it('reads no more than any response can be', () => {
    expect(() => decodeResult(Buffer.alloc(101 * 1024 * 1024, 0x20))).toThrow('it has more than');
  });
});

describe('RemoteAttempts', () => {
  const good = Buffer.from(
    JSON.stringify({ format: 2, response: { kind: 'payload', good: true, data: {}, requestId: 'r', timestamp: 1 }, bytes: 7 }),
  );
  const lost = Buffer.from(JSON.stringify({ format: 2, failure: { kind: 'lost', error: 'NetworkError', what: 'gone' } }));

  /** Attempts with the jobs that they add, and what their owners see. */
  function start(): {
    readonly attempts: RemoteAttempts;
    readonly jobs: (readonly PageData[])[];
    readonly seen: string[];
    readonly send: (name: string, number?: number, fails?: boolean) => string;
  } {
    vi.useFakeTimers({ toFake: ['setImmediate'] });
    onTestFinished(() => void vi.useRealTimers());
    const jobs: (readonly PageData[])[] = [];
    const seen: string[] = [];
    const queue = { add: (added: typeof jobs) => void jobs.push(...added), drop: () => Promise.resolve() } as unknown as LeaderQueue;
    const attempts = new RemoteAttempts(queue, systemClock);
    const send = (name: string, number = 1, fails = false): string => {
      const owner: AttemptOwner = {
        arrived: () => false,
        came: () => {
          if (fails) throw new Error('no room');
          seen.push(`${name} came`);
        },
        failed: ({ kind, what }) => {
          seen.push(`${name} ${kind}: ${what}`);
          if (name === 'b') throw new Error('not even that');
        },
      };
      const operation = { name: 'mapsReviews' };
      const request = { operation, query: { data_id: name }, label: 'reviews', number } as unknown as AttemptRequest;
      const remote = attempts.make(owner, request) as ReturnType<typeof attempts.make> & { readonly page: PageData };
      remote.send();
      return remote.page.id;
    };
    return { attempts, jobs, seen, send };
  }
  const entry = (of: string, body: Buffer, isGood = true): Entry => ({ at: of, of, good: isGood, ms: 1, body });
  const idsOf = (jobs: readonly (readonly PageData[])[]): string[][] =>
    jobs.map((pages) => pages.map(({ query }) => String(query['data_id'])));

  it("takes the other results when one of them can't be taken, and retries that query", () => {
    const { attempts, seen, send } = start();
    const ids = ['a', 'b', 'b2', 'c'].map((name) => send(name, 1, name.startsWith('b')));
    attempts.take(ids.map((id) => entry(id, good)));
    const why = "lost: what a worker brought can't be taken: Error: no room";
    expect(seen).toEqual(['a came', `b ${why}`, `b2 ${why}`, 'c came']);
    expect(() => vi.runAllTimers()).toThrow('not even that'); // a query that would wait for ever ends the process
    expect(attempts.size).toBe(0);
  });

  it('puts pages that start together into one job for each worker', () => {
    const { attempts, jobs, send } = start();
    attempts.slots = [16, 16];
    for (const name of ['a', 'b', 'c', 'd', 'e']) send(name);
    vi.runAllTimers();
    send('f');
    vi.runAllTimers();
    expect(idsOf(jobs)).toEqual([['a', 'b', 'c'], ['d', 'e'], ['f']]);
  });

  it.each([
    [[4], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]],
    [
      [64, 16],
      [4, 4, 2],
    ],
    [[1000], [10]],
    [[], [10]],
  ])('puts no more pages into a job than a quarter of what a worker does at once, of %j', (slots, sizes) => {
    const { attempts, jobs, send } = start();
    attempts.slots = slots;
    for (let i = 0; i < 10; i++) send(`page ${i}`);
    vi.runAllTimers();
    expect(jobs.map(({ length }) => length)).toEqual(sizes);
  });

  it('puts no more than 16 pages into a job', () => {
    const { jobs, send } = start();
    for (let i = 0; i < 40; i++) send(`page ${i}`);
    vi.runAllTimers();
    expect(jobs.map(({ length }) => length)).toEqual([16, 16, 8]);
  });

  it('puts a retry into a job of its own, so that a query that ends workers ends no other', () => {
    const { jobs, send } = start();
    send('a');
    send('poison', 2);
    send('c');
    vi.runAllTimers();
    expect(idsOf(jobs)).toEqual([['poison'], ['a', 'c']]);
  });

  it('adds no page that was cancelled in the same turn', () => {
    const { attempts, jobs } = start();
    const owner = {} as AttemptOwner;
    const request = { operation: { name: 'mapsReviews' }, query: {}, label: 'reviews', number: 1 } as unknown as AttemptRequest;
    const remote = attempts.make(owner, request);
    remote.send();
    remote.abort();
    vi.runAllTimers();
    expect(jobs).toEqual([]);
  });

  it('takes a result of a job for those of its pages that have none', () => {
    const { attempts, jobs, seen, send } = start();
    const first = send('first');
    send('second');
    send('third');
    vi.runAllTimers();
    attempts.take([entry(first, good)]);
    attempts.take([entry(jobId(jobs[0]!), lost, false), entry(jobId(jobs[0]!), lost, false)]);
    expect(seen).toEqual(['first came', 'second lost: gone', 'third lost: gone']);
  });

  it('fails every page of a job that is gone', () => {
    const { attempts, seen, send } = start();
    send('first');
    send('second');
    vi.runAllTimers();
    for (let look = 0; look < 3; look++) attempts.gone(attempts.open());
    expect(attempts.open()).toEqual([]);
    expect(seen).toHaveLength(2);
  });

  it('adds no page that is under way since an earlier leader, and takes its result', () => {
    const { attempts, jobs, seen, send } = start();
    const id = pageId({ stage: 'reviews', operation: 'mapsReviews', query: { data_id: 'a' } }, 1);
    attempts.resume({ entries: [], running: new Map([[id, 'job+3']]) });
    send('a');
    vi.runAllTimers();
    expect([jobs, attempts.open()]).toEqual([[], ['job+3']]);
    attempts.take([entry('job+3', lost, false)]);
    expect(seen).toEqual(['a lost: gone']);
    send('a', 2);
    vi.runAllTimers();
    expect(idsOf(jobs)).toEqual([['a']]);
  });
});

describe('Turns', () => {
  it('lets so many run at the same time, the others in order, also after one has failed', async () => {
    const turns = new Turns(2);
    const running: (() => void)[] = [];
    const begun: number[] = [];
    const task = (nth: number): Promise<void> =>
      turns.take(() => {
        begun.push(nth);
        return new Promise((resolve, reject) => running.push(nth === 0 ? () => reject(new Error('no')) : resolve));
      });
    const first = task(0);
    const others = [1, 2, 3].map(task);
    expect([begun, turns.waiting]).toEqual([[0, 1], 2]);
    running[0]!();
    await expect(first).rejects.toThrow('no');
    await vi.waitFor(() => expect(begun).toEqual([0, 1, 2]));
    running[1]!();
    await vi.waitFor(() => expect(begun).toEqual([0, 1, 2, 3]));
    running[2]!();
    running[3]!();
    await Promise.all(others);
    expect(turns.waiting).toBe(0);
  });
});
