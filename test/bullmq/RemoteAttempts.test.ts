import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { jobId, pageId, type PageData, queueFormat } from '../../src/bullmq/JobData.ts';
import type { LeaderQueue } from '../../src/bullmq/LeaderQueue.ts';
import type { Entry } from '../../src/bullmq/Broker.ts';
import { RemoteAttempts } from '../../src/bullmq/RemoteAttempts.ts';
import type { AttemptOwner, AttemptRequest } from '../../src/client/attempt/AttemptFailure.ts';
import { systemClock } from '../../src/client/Clock.ts';

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
  function start(at: number = 0): {
    readonly attempts: RemoteAttempts;
    readonly jobs: (readonly PageData[])[];
    readonly seen: string[];
    readonly dropped: string[];
    readonly send: (name: string, number?: number, fails?: boolean, renews?: boolean) => string;
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
    const attempts = new RemoteAttempts(queue, { ...systemClock, wall: () => at });
    const owners = new Map<string, AttemptOwner>();
    const send = (name: string, number = 1, fails = false, renews = false): string => {
      const owner: AttemptOwner = owners.get(name) ?? {
        sending: () => undefined,
        statedLimit: () => {},
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
      const request = { operation, query: { data_id: name }, label: 'reviews', renews, number } as unknown as AttemptRequest;
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
    attempts.receive([entry([first, good], [second, good])]);
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
    attempts.receive([entry([id, good])]);
    const read = vi.spyOn(JSON, 'parse');
    onTestFinished(() => read.mockRestore());
    attempts.receive([entry([id, good])]);
    expect(read).not.toHaveBeenCalled();
    expect([seen, dropped]).toEqual([['a came'], [id]]);
  });

  it("fails a page whose result can't be read, as if its worker were lost", () => {
    const { attempts, seen, send } = start();
    const rubbish = ['', 'H4sI', 'null', '{}', '{"response":null}', '{"format":1}'].map((body) => [send(`of ${body}`), Buffer.from(body)]);
    attempts.receive([entry(...(rubbish as [string, Buffer][]))]);
    expect(seen).toHaveLength(6);
    for (const what of seen) expect(what).toContain("lost: the result of a worker can't be read");
    expect(attempts.size).toBe(0);
  });

  it("takes the other results when one of them can't be taken, and retries that query", () => {
    const { attempts, seen, send } = start();
    const ids = ['a', 'b', 'b2', 'c'].map((name) => send(name, 1, name.startsWith('b')));
    attempts.receive([entry(...ids.map((id) => [id, good] as [string, Buffer]))]);
    const why = "lost: the result of a worker can't be taken: Error: no room";
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
    const lose = (name: string, number: number): void => attempts.receive([entry([send(name, number), lost])]);
    const names = ['poison', 'a', 'c'];
    for (const number of [1, 2]) for (const name of names) lose(name, number);
    vi.runAllTimers();
    expect(jobs).toEqual([]); // their results came before their jobs were added
    const [poison, a] = names.map((name) => send(name, 3));
    const fresh = ['x', 'y'].map((name) => send(name));
    vi.runAllTimers();
    expect(idsOf(jobs.splice(0))).toEqual([['poison'], ['x', 'y']]);
    attempts.receive([entry(...[poison!, ...fresh].map((id) => [id, lost] as [string, Buffer]))]);
    expect(idsOf(jobs.splice(0))).toEqual([['a']]);
    send('poison', 4);
    vi.runAllTimers();
    expect(jobs).toEqual([]);
    attempts.receive([entry([a!, good])]);
    expect(idsOf(jobs.splice(0))).toEqual([['c']]);
    expect(seen.filter((what) => what.endsWith('came'))).toEqual(['a came']);
  });

  it('adds no page that was cancelled in the same turn', () => {
    const { attempts, jobs } = start();
    const owner = { sending: () => undefined } as AttemptOwner;
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
    attempts.receive([entry([first, good])]);
    attempts.receive([entry([jobId(jobs[0]!), lost]), entry([jobId(jobs[0]!), lost])]);
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
    attempts.receive([entry(['job+3', lost])]);
    expect(seen).toEqual(['a lost: gone']);
    send('a', 2);
    vi.runAllTimers();
    expect(idsOf(jobs)).toEqual([['a']]);
  });

  it('takes no result of an earlier leader for a page that is renewed, and sends it once the requests of that leader are over', () => {
    const { attempts, jobs, seen, send } = start();
    const [came, running, later] = ['came', 'running', 'later'].map((data_id) =>
      pageId({ stage: 'reviews', operation: 'mapsReviews', query: { data_id } }, 1),
    );
    attempts.resume({ entries: [entry([came!, good])], running: new Map([[running!, 'job+1'], [later!, 'job+2']]) }); // prettier-ignore
    for (const name of ['came', 'running']) send(name, 1, false, true);
    send('other');
    send('later'); // takes what its worker brings
    vi.runAllTimers();
    expect([idsOf(jobs.splice(0)), attempts.open()]).toEqual([[['other']], ['job+1', 'job+2', expect.any(String)]]);
    attempts.receive([entry([running!, good])]);
    vi.runAllTimers();
    expect(jobs).toEqual([]);
    for (let look = 0; look < 3; look++) attempts.gone(['job+2']);
    vi.runAllTimers();
    expect([idsOf(jobs), seen]).toEqual([[['came', 'running']], ['later lost: the worker that had it died, or the queue forgot it']]);
  });

  it('takes no result that an earlier leader asked for, for a page that is renewed, however late it comes', () => {
    const asked = start(1).send('a', 1, false, true);
    const { attempts, seen, send } = start(2);
    const own = send('a', 1, false, true);
    attempts.receive([entry([asked, good])]);
    expect(seen).toEqual([]);
    attempts.receive([entry([own, good])]);
    expect(seen).toEqual(['a came']);
  });
});
