import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstValueFrom, lastValueFrom, of, toArray, type Observable } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expandCursor, items, type CursorPaging, type PageFactory, type PageLike } from '../operators/index.ts';
import { createClient } from '../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../src/flow/index.ts';
import { headlineOf } from '../src/flow/report/index.ts';
import { openStore } from '../src/store/index.ts';
import type { MemoryDisk } from './disk/MemoryDisk.ts';
import { remoteClient } from './bullmq/remoteClient.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { bodyOf, startServer, type TestServer } from './client/startServer.ts';
import { until } from './client/testClient.ts';
import { ownService } from './ownService.ts';
import { killedDisk, rowsOn, runInMemory } from './flowInMemory.ts';

const code = `
const shape = { rows: [{ id: 'string' }], next: 'string|null' };
const walked = { params: { q: { type: 'string', required: true } }, response: shape, rows: 'rows', body: { token: '\${cursor}' }, next: 'next' };
export default defineService({
  name: 'jobs',
  baseUrl: '/v1',
  headers: { authorization: '\${key}' },
  envelope: { message: 'message' },
  failures: [{ at: 'status', is: 'Error', means: 'final' }],
  operations: {
    query: defineOperation({
      post: '/queries', ...walked,
      job: { at: 'results_location', until: { at: 'status', is: ['Success'] }, everyMs: 20 },
    }),
    brief: defineOperation({ post: '/brief', ...walked, job: { everyMs: 20 } }),
    report: defineOperation({ post: '/reports', ...walked, job: { everyMs: 20 } }),
    moved: defineOperation({ post: '/moved', ...walked, job: { everyMs: 20 } }),
    always200: defineOperation({
      post: '/always200', ...walked,
      job: { at: 'job.url', until: { at: 'job.status', is: ['done'] }, everyMs: 20 },
    }),
    patient: defineOperation({ post: '/patient', ...walked, job: { everyMs: 60_000 } }),
  },
});
`;

interface Job {
  readonly path: string;
  readonly q: string;
  readonly token: string | undefined;
  polls: number;
}

/** Each query is a job that is done at the third look. It has two pages of two rows. */
describe('responses that come later', () => {
  const own = ownService('jobs', code);
  let server: TestServer;
  let seen: string[] = [];
  let jobs: Job[] = [];
  let busy = 0;
  let slow = 0;
  const looks = 3;

  const answer = (method: string, path: string, body: string): readonly [status: number, body: object, headers?: object] => {
    if (method === 'POST') {
      const { q, token } = JSON.parse(body) as { readonly q: string; readonly token?: string };
      const job = { path, q, token, polls: 0 };
      const at = `jobs/${jobs.push(job) - 1}`;
      if (path === '/v1/always200') return [200, { job: { status: 'running', url: at } }];
      if (path === '/v1/patient') return [202, {}, { location: at, 'retry-after': '0.02' }];
      if (path === '/v1/brief') return [202, {}, { location: at, 'retry-after': '7200' }]; // longer than anybody waits
      if (q === 'there') return [303, {}, { location: `results/${at}` }];
      if (q === 'circles') return [303, {}, { location: `circles/${at}` }];
      if (q === 'gone') return [202, { results_location: '/v1/jobs/99' }];
      if (q === 'away')
        return [202, { status: 'Pending', results_location: 'http://evil.test/v1/jobs/0' }, { location: 'http://evil.test/x' }];
      if (q === 'lost') return [202, { status: 'Pending' }];
      if (q === 'quick') return [200, { status: 'Success', rows: [{ id: 'quick' }], next: null }];
      return [202, { status: 'Pending', results_location: `/v1/${at}` }, { location: at }];
    }
    const job = jobs[Number(path.split('/').at(-1))];
    if (job === undefined) return [404, { error: 'no such job' }];
    job.polls += 1;
    if (job.q === 'circles') return [303, {}, { location: path.startsWith('/v1/circles') ? '/v1/jobs/0' : '/v1/circles/0' }];
    if (job.path === '/v1/patient' && job.polls < looks) return [202, {}, { 'retry-after': '0.02' }];
    if (job.path === '/v1/moved' && !path.startsWith('/v1/results/'))
      return job.polls < looks ? [202, {}] : [303, {}, { location: `/v1/results/${path.split('/').at(-1)}` }];
    if (job.path === '/v1/always200' && job.polls < looks) return [200, { job: { status: 'running', url: 'elsewhere' } }];
    if (busy > 0) {
      busy -= 1;
      return [503, {}];
    }
    if (job.q === 'bad') return [200, { status: 'Error', message: 'the disk of the service is full' }];
    if (job.q === 'endless' || job.polls < looks + slow) return [202, { status: 'Pending' }];
    const page = Number(job.token ?? 0);
    const rows = [0, 1].map((n) => ({ id: `${job.q}-${page}${n}` }));
    return [200, { status: 'Success', job: { status: 'done' }, rows, next: page === 0 ? '1' : null }];
  };

  beforeAll(async () => {
    server = await startServer((request, response) => {
      void bodyOf(request).then((sent) => {
        seen.push(`${request.method!} ${request.url!} ${request.headers.authorization}`);
        const [status, body, headers] = answer(request.method!, request.url!, sent);
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
      });
    });
  });
  beforeEach(() => {
    [seen, jobs, busy, slow] = [[], [], 0, 0];
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const queries = Array.from({ length: 8 }, (_, n) => `q${n}`);
  const four = (q: string): string[] => ['00', '01', '10', '11'].map((place) => `${q}-${place}`);
  type Factory = PageFactory<object, PageLike, CursorPaging>;
  const open = (options: object = {}) =>
    createClient({ service: own.service, baseUrl: server.url, apiKey: 'secret-key', rate: 'unlimited', retry: { baseMs: 1 }, ...options });
  const factoryOf = (client: object, name: string): Factory => (client as { readonly [name: string]: Factory })[name]!;
  const idsOf = async (rows$: Observable<unknown>): Promise<string[]> =>
    (await lastValueFrom(rows$.pipe(toArray()))).map((row) => (row as { readonly id: string }).id);
  const walk = (client: object, q: string, name = 'query'): Promise<string[]> =>
    idsOf(of({ q }).pipe(expandCursor(factoryOf(client, name)), items()));

  it.each(['query', 'report'])('are requested until they are there: %s', async (name) => {
    await using client = open();
    expect(await walk(client, 'sea', name)).toEqual(four('sea'));
    expect(jobs.map(({ polls }) => polls)).toEqual([looks, looks]);
    expect(seen.filter((line) => line.startsWith('GET /v1/jobs/0 secret-key'))).toHaveLength(looks);
  });

  it.each([
    ['moved', 'at the address that a 303 names', looks + 1],
    ['always200', 'where each response has the status 200', looks],
    ['patient', 'when retry-after says', looks],
  ])('are requested %s: %s', async (name, _, polls) => {
    await using client = open();
    expect(await walk(client, 'sea', name)).toEqual(four('sea'));
    expect(jobs.map((job) => job.polls)).toEqual([polls, polls]);
  });

  it('may be at the address of a 303 from the start', async () => {
    await using client = open();
    expect(await walk(client, 'there', 'moved')).toEqual(four('there'));
    expect([...new Set(seen.map((line) => line.split(' ')[1] ?? ''))].slice(0, 2)).toEqual(['/v1/moved', '/v1/results/jobs/0']);
  });

  it('are an error where one 303 leads to the next', async () => {
    await using client = open();
    await expect(walk(client, 'circles', 'moved')).rejects.toMatchObject({
      name: 'PaginationError',
      message: expect.stringContaining('redirected more than 5 times') as string,
    });
    expect(seen.length).toBeLessThan(20);
  });

  it('are taken at once where they are there at once', async () => {
    await using client = open();
    expect(await walk(client, 'quick')).toEqual(['quick']);
    expect(seen).toHaveLength(1);
  });

  it('are looked for again after a failure, without another job', async () => {
    await using client = open();
    busy = 2;
    expect(await walk(client, 'sea')).toEqual(four('sea'));
    expect(jobs).toHaveLength(2);
  });

  it.each([
    [
      'fails',
      'bad',
      { name: 'EnvelopeError', message: expect.stringContaining('the service says "the disk of the service is full"') as string },
    ],
    [
      'leads elsewhere',
      'away',
      { name: 'PaginationError', message: expect.stringContaining('the address of the job points outside') as string },
    ],
    ['has no address', 'lost', { name: 'PayloadError', message: expect.stringContaining('there is no results_location') as string }],
  ])('are an error when the job %s', async (_, q, error) => {
    await using client = open();
    await expect(walk(client, q)).rejects.toMatchObject(error);
    expect(seen.length).toBeLessThanOrEqual(2);
  });

  it('are an error in words that fit: where no header has the address, and where the job is gone', async () => {
    await using client = open();
    await expect(firstValueFrom(factoryOf(client, 'report')({ q: 'gone' }))).rejects.toThrow('there is no header location');
    const gone = await firstValueFrom(factoryOf(client, 'query')({ q: 'gone' })).catch(String);
    expect(gone).toMatch(/HTTP 404.*no such job/);
    expect(gone).not.toContain('pathPrefix');
  });

  it('are an error when they take too long', async () => {
    await using client = open();
    await expect(firstValueFrom(factoryOf(client, 'brief')({ q: 'endless' }))).rejects.toMatchObject({
      name: 'TimeoutError',
      message: expect.stringContaining('3600000 ms') as string,
    });
    expect(jobs).toHaveLength(1);
  });

  it('count each request for the budget, and none is sent after unsubscribing', async () => {
    await using client = open({ maxRequests: 2 });
    await expect(firstValueFrom(factoryOf(client, 'query')({ q: 'sea' }))).rejects.toMatchObject({ name: 'BudgetError' });
    expect(seen).toHaveLength(2);
    await using other = open();
    const running = factoryOf(other, 'query')({ q: 'endless' }).subscribe();
    await until(() => seen.length >= 4, 'the job');
    running.unsubscribe();
    const { length } = seen;
    await new Promise((later) => setTimeout(later, 100));
    expect(seen.length).toBe(length);
  });

  it('are stored', async () => {
    for (let run = 0; run < 2; run++) {
      await using client = open({ store: openStore(join(own.folder, 'kept')) });
      expect(await walk(client, 'sea')).toEqual(four('sea'));
    }
    expect(jobs).toHaveLength(2);
  });

  it('are printed by the command', async () => {
    const env = { TRAWLER_BASE_URL: server.url, TRAWLER_API_KEY: 'secret-key' };
    const run = await runInProcess(['call', 'query', '--service', own.file, '--q', 'sea', '--pages', 'all'], { env });
    expect([run.code, run.stdout.trim().split('\n')]).toEqual([0, four('sea').map((id) => JSON.stringify({ id }))]);
  });

  const stages = { rows: { call: 'query', with: { q: queries }, pages: 'all', to: 'rows.jsonl' } };
  const flow = (): FlowDefinition => ({ name: 'jobs', service: own.service, stages }) as FlowDefinition;
  const idsIn = (disk: MemoryDisk): readonly string[] => rowsOn(disk, 'rows.jsonl').map(({ id }) => id).toSorted(); // prettier-ignore
  const all = queries.flatMap(four).toSorted();

  it('are taken up by a flow that resumes after it was killed', async () => {
    slow = 1_000_000;
    const started = (disk: MemoryDisk): number => String(disk.read('/out/.trawler/journal.jsonl')).split('"type":"JobStarted"').length - 1;
    const disk = await killedDisk(flow(), open(), (before) => started(before) === queries.length);
    slow = 0;
    await using client = open();
    expect(idsIn(await runInMemory(flow(), client, disk))).toEqual(all);
    expect(jobs).toHaveLength(16);
  });

  it('are counted apart in the summary, as far as they were not there yet', async () => {
    await using client = open();
    const run = (outDir: string, stages: object) =>
      lastValueFrom(runFlow({ ...flow(), stages } as FlowDefinition, { client: client as never, outDir })) as Promise<FlowSummary>;
    const summary = await run(join(own.folder, 'polled'), stages);
    expect([summary.requests, summary.polls]).toEqual([16 * (1 + looks), 16 * (looks - 1)]);
    expect(headlineOf(summary)).toMatch(/; 64 requests, 32 of them polls of jobs that were not done$/);
    expect(await readFile(join(own.folder, 'polled', 'report.html'), 'utf8')).toContain('failed, started a job or polled it, or were');
    const quick = await run(join(own.folder, 'quick'), { rows: { call: 'query', with: { q: 'quick' }, to: 'rows.jsonl' } });
    expect(headlineOf(quick)).toMatch(/; 1 request$/);
  });

  it('are started again if their job is gone', async () => {
    await using client = open();
    const page = await firstValueFrom(factoryOf(client, 'query')({ q: 'sea' }, { job: '/v1/jobs/99' }));
    expect(page.items).toHaveLength(2);
  });

  it('come where workers send the requests', async () => {
    await using worker = open();
    await using client = remoteClient(worker);
    expect(idsIn(await runInMemory(flow(), client))).toEqual(all);
    expect(jobs).toHaveLength(16);
  });
});
