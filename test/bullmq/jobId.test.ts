import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { jobId, pageId, type PageData } from '../../src/bullmq/JobData.ts';
import { queueName } from '../../src/bullmq/index.ts';
import type { Entry, LeaderQueue } from '../../src/bullmq/LeaderQueue.ts';
import { RemoteAttempts } from '../../src/bullmq/RemoteAttempts.ts';
import { decodeResult, encodeResult, queueFormat, type Result } from '../../src/bullmq/Result.ts';
import { Turns } from '../../src/bullmq/Turns.ts';
import type { AttemptOwner, AttemptRequest } from '../../src/client/attempt/RunningAttempt.ts';
import { systemClock } from '../../src/client/Clock.ts';
import type { Payload } from '../../src/client/response/parseResponse.ts';
import { RowScanner } from '../../src/client/spans/RowScanner.ts';
import { RowSpan } from '../../src/client/spans/RowSpan.ts';

interface Sent {
  readonly response: Payload;
}

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
  /** What arrives of a result. */
  const sentAs = (result: Result): Result => decodeResult(encodeResult(result, (text) => text));

  it('brings a response back as it was', () => {
    const result = { response: { ...response, data: { ...response.data, text: 'é\n'.repeat(1000) } }, bytes: 7, ms: 3 };
    expect(sentAs(result)).toEqual(result);
  });

  it('brings the bytes of rows, and where their values are', () => {
    const rows = ['{"id":"é1","n":{"a":1},"x":null}', '{"n":2}', '{"id":3,"list":[1]}'];
    const body = Buffer.from(`{"rows":[${rows.join()}]}`);
    const spans = new RowScanner(undefined, 'rows').scan(body, body.toString('latin1'), 8)!;
    const sent = (): readonly RowSpan[] => {
      const { response: there } = sentAs({ response: { ...response, spans }, bytes: body.length, ms: 3 }) as Sent;
      expect([there.spans!.mark, there.spans!.issues]).toEqual([spans.mark, spans.issues]);
      return there.spans!.rows as readonly RowSpan[];
    };
    const parse = vi.spyOn(RowSpan.prototype, 'parse');
    onTestFinished(() => parse.mockRestore());
    const there = sent();
    expect(there.map(({ bytes }) => bytes.toString())).toEqual(rows);
    expect(there.map((row) => ['id', 'n', 'x', 'none'].map((name) => row.text(name)))).toEqual([
      ['"é1"', '{"a":1}', 'null', undefined],
      [undefined, '2', undefined, undefined],
      ['3', undefined, undefined, undefined],
    ]);
    expect(parse).not.toHaveBeenCalled();
    const valuesOf = ({ body: of, offsets, from, to, paths }: RowSpan): unknown[] =>
      Array.from({ length: (to - from) / 3 }, (_, nth) => {
        const [path, start, end] = offsets.subarray(from + 3 * nth);
        return [paths[path!], of.toString('utf8', start, end)];
      });
    expect(there.map(valuesOf)).toEqual(spans.rows.map(valuesOf));
    expect(sent()[0]!.paths).toBe(there[0]!.paths);
  });

  it('brings a list without rows', () => {
    const body = Buffer.from('{"rows":[]}');
    const spans = new RowScanner(undefined, 'rows').scan(body, body.toString('latin1'), 8)!;
    expect(sentAs({ response: { ...response, spans }, bytes: 11, ms: 3 })).toMatchObject({
      response: { spans: { rows: [] } },
    });
  });

  it('brings the response as it came beside its rows', () => {
    const body = Buffer.from('{"rows":[{"id":1}]}');
    const spans = new RowScanner(undefined, 'rows').scan(body, body.toString('latin1'), 8)!;
    const raw = { status: 200, headers: { etag: 'x' }, url: 'https://service.invalid/', body: Buffer.from([10, 0, 255]) };
    const result = sentAs({ response: { ...response, spans }, bytes: 19, raw, ms: 3 });
    expect(result).toMatchObject({ raw, response: { spans: { mark: spans.mark } } });
  });
});

describe('decodeResult', () => {
  const failure = { kind: 'network', error: 'NetworkError', what: 'gone' };
  const good = { format: queueFormat, ms: 3, response: { kind: 'payload', good: true, data: {}, requestId: 'r', timestamp: 1 }, bytes: 7 };
  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['no response', { format: queueFormat, ms: 3, response: null, bytes: 1 }],
    ['no failure', { format: queueFormat, ms: 3, failure: null }],
    ['a failure of an unknown kind', { format: queueFormat, ms: 3, failure: { ...failure, kind: 'odd' } }],
    ['a response of an unknown kind', { ...good, response: { kind: 'odd' } }],
    ['a response without data', { ...good, response: { ...good.response, data: 3 } }],
    ['rows that are no rows', { ...good, rows: { count: -1 } }],
    ['no time', { ...good, ms: null }],
    ['another version', { ...good, format: queueFormat - 1 }],
    ['no version', { ms: 3, failure }],
    ['a list', []],
    ['nothing', null],
  ])('refuses %s', (_, value) => {
    expect(() => decodeResult([Buffer.from(JSON.stringify(value))])).toThrow('it is no result, or one of another version of trawler');
  });

  const path = [0, 5, 6]; // of the value of {"a":1}
  function packed(sizes: readonly number[], bytes: string, offsets: readonly number[], paths = '[["a"]]'): Buffer[] {
    const numbers = Buffer.from(Int32Array.from([...sizes, ...offsets]).buffer);
    const rows = { count: Math.ceil(sizes.length / 2), issues: [], mark: 1, offsetBytes: numbers.length };
    return [Buffer.concat([Buffer.from(`${JSON.stringify({ ...good, rows })}\n`), numbers, Buffer.from(paths)]), Buffer.from(bytes)];
  }
  it.each<[string, readonly number[], string, readonly number[], string?]>([
    ['a row that begins elsewhere', [7, 3], ' {"a":1}', path],
    ['a row that ends elsewhere', [6, 3], '{"a":1}', path],
    ['more bytes than rows', [7, 3], '{"a":1},{}', path],
    ['more rows than bytes', [7, 3, 2, 0], '{"a":1}', path],
    ['rows without a comma between them', [2, 0, 2, 0], '{};{}', []],
    ['a row of two lines', [8, 0], '{"a":\n1}', []],
    ['fewer offsets than it says', [7, 3], '{"a":1}', []],
    ['more offsets than it says', [7, 0], '{"a":1}', path],
    ['a part of a place', [7, 2], '{"a":1}', [0, 5]],
    ['a number of rows only', [7], '{"a":1}', path],
    ['a place outside of the row', [7, 3], '{"a":1}', [0, 5, 8]],
    ['a place of no path', [7, 3], '{"a":1}', [1, 5, 6]],
    ['paths that are none', [7, 3], '{"a":1}', path, '[["a"],7]'],
  ])('refuses %s', (_, sizes, bytes, offsets, paths?) => {
    expect(() => decodeResult(packed(sizes, bytes, offsets, paths))).toThrow(/its (rows|paths) are/);
  });

  it('takes rows that are where it says', () => {
    const { response } = decodeResult(packed([7, 3], '{"a":1}', path)) as Sent;
    expect(response.spans!.rows[0]!.field('a')).toBe(1);
  });

  it.each([0, 1, 2, 3])('takes offsets that begin anywhere in memory, %d bytes behind a number', (behind) => {
    const [first, rows] = packed([7, 3], '{"a":1}', path);
    const { response } = decodeResult([Buffer.concat([Buffer.alloc(behind), first!]).subarray(behind), rows!]) as Sent;
    expect(response.spans!.rows[0]!.field('a')).toBe(1);
  });

  it('refuses a part of a number', () => {
    const [first, rows] = packed([7, 3], '{"a":1}', path);
    const other = Buffer.from(first!.toString('latin1').replace('"offsetBytes":20', '"offsetBytes":21'), 'latin1');
    expect(() => decodeResult([other, rows!])).toThrow('its rows are not what it says');
  });

  it('refuses numbers that are missing', () => {
    const [first, rows] = packed([7, 3], '{"a":1}', path);
    expect(() => decodeResult([first!.subarray(0, -20), rows!])).toThrow('its rows are not what it says');
  });

  it('takes what a worker of this version brings', () => {
    expect(decodeResult([Buffer.from(JSON.stringify({ format: queueFormat, ms: 3, failure }))])).toEqual({ failure, ms: 3 });
    expect(decodeResult([Buffer.from(JSON.stringify(good))])).toEqual({ response: good.response, bytes: 7, ms: 3 });
  });

  it('reads no more than any response can be', () => {
    expect(() => decodeResult([Buffer.from('{}'), Buffer.alloc(101 * 1024 * 1024, 0x20)])).toThrow('it has more than');
  });
});

describe('RemoteAttempts', () => {
  const good = Buffer.from(
    JSON.stringify({
      format: queueFormat,
      ms: 1,
      response: { kind: 'payload', good: true, data: {}, requestId: 'r', timestamp: 1 },
      bytes: 7,
    }),
  );
  const lost = Buffer.from(JSON.stringify({ format: queueFormat, ms: 1, failure: { kind: 'lost', error: 'NetworkError', what: 'gone' } }));

  /** Attempts with the jobs that they add, and what their owners see. */
  function start(): {
    readonly attempts: RemoteAttempts;
    readonly jobs: (readonly PageData[])[];
    readonly seen: string[];
    readonly dropped: string[];
    readonly send: (name: string, number?: number, fails?: boolean) => string;
  } {
    vi.useFakeTimers({ toFake: ['setImmediate'] });
    onTestFinished(() => void vi.useRealTimers());
    const jobs: (readonly PageData[])[] = [];
    const seen: string[] = [];
    const dropped: string[] = [];
    const queue = {
      add: (added: typeof jobs) => void jobs.push(...added),
      drop: async (at: readonly string[]) => void dropped.push(...at),
    } as unknown as LeaderQueue;
    const attempts = new RemoteAttempts(queue, systemClock);
    const owners = new Map<string, AttemptOwner>();
    const send = (name: string, number = 1, fails = false): string => {
      const owner: AttemptOwner = owners.get(name) ?? {
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
      owners.set(name, owner);
      const operation = { name: 'mapsReviews' };
      const request = { operation, query: { data_id: name }, label: 'reviews', number } as unknown as AttemptRequest;
      const remote = attempts.make(owner, request) as ReturnType<typeof attempts.make> & { readonly page: PageData };
      remote.send();
      return remote.page.id;
    };
    return { attempts, jobs, seen, dropped, send };
  }
  const entry = (...results: [of: string, head: Buffer][]): Entry => ({
    at: results[0]![0],
    results: results.map(([of, head]) => [of, [head]] as const),
  });
  const idsOf = (jobs: readonly (readonly PageData[])[]): string[][] =>
    jobs.map((pages) => pages.map(({ query }) => String(query['data_id'])));

  it('deletes an entry only when all of its results are safe', () => {
    const { attempts, dropped, send } = start();
    const [first, second] = [send('first'), pageId({ stage: 'reviews', operation: 'mapsReviews', query: { data_id: 'second' } }, 1)];
    attempts.take([entry([first, good], [second, good])]);
    for (let commit = 0; commit < 2; commit++) attempts.committed();
    expect(dropped).toEqual([]);
    send('second'); // its result came early
    vi.runAllTimers();
    attempts.committed();
    expect(dropped).toEqual([]);
    attempts.committed();
    expect(dropped).toEqual([first]);
  });

  it('reads a repeated result no more', () => {
    const { attempts, seen, dropped, send } = start();
    const id = send('a');
    attempts.take([entry([id, good])]);
    const read = vi.spyOn(JSON, 'parse');
    onTestFinished(() => read.mockRestore());
    attempts.take([entry([id, good])]);
    expect(read).not.toHaveBeenCalled();
    expect([seen, dropped]).toEqual([['a came'], [id]]);
  });

  it("takes the other results when one of them can't be taken, and retries that query", () => {
    const { attempts, seen, send } = start();
    const ids = ['a', 'b', 'b2', 'c'].map((name) => send(name, 1, name.startsWith('b')));
    attempts.take([entry(...ids.map((id) => [id, good] as [string, Buffer]))]);
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
    [[4], [2, 2, 2, 2, 2]],
    [
      [64, 6],
      [3, 3, 3, 1],
    ],
    [[1000], [10]],
    [[], [10]],
  ])('puts no more pages into a job than half of what a worker does at once, of %j', (slots, sizes) => {
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

  it('adds pages whose worker was lost twice one after the other, so that one that ends workers fails alone', () => {
    const { attempts, jobs, seen, send } = start();
    const lose = (name: string, number: number): void => attempts.take([entry([send(name, number), lost])]);
    const names = ['poison', 'a', 'c'];
    for (const number of [1, 2]) for (const name of names) lose(name, number);
    vi.runAllTimers();
    expect(jobs).toEqual([]); // their results came before their jobs were added
    const [poison, a] = names.map((name) => send(name, 3));
    const fresh = ['x', 'y'].map((name) => send(name));
    vi.runAllTimers();
    expect(idsOf(jobs.splice(0))).toEqual([['poison'], ['x', 'y']]);
    attempts.take([entry(...[poison!, ...fresh].map((id) => [id, lost] as [string, Buffer]))]);
    expect(idsOf(jobs.splice(0))).toEqual([['a']]);
    send('poison', 4);
    vi.runAllTimers();
    expect(jobs).toEqual([]);
    attempts.take([entry([a!, good])]);
    expect(idsOf(jobs.splice(0))).toEqual([['c']]);
    expect(seen.filter((what) => what.endsWith('came'))).toEqual(['a came']);
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
    attempts.take([entry([first, good])]);
    attempts.take([entry([jobId(jobs[0]!), lost]), entry([jobId(jobs[0]!), lost])]);
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
    attempts.take([entry(['job+3', lost])]);
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
