import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunNews } from '../../src/cli/RunNews.ts';
import { Kept, runInProcess } from './runInProcess.ts';

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('who is told about a run', () => {
  let folder: string;
  let flow: string;
  let server: Server;
  let hook: string;
  const got: Got[] = [];
  /** What the address answers, one after the other; then 200. */
  const answers: number[] = [];
  const run = (...argv: readonly string[]): ReturnType<typeof runInProcess> =>
    runInProcess(['run', flow, '--out', join(folder, 'out'), '--sandbox', '--quiet', ...argv], {
      env: { PATH: process.env['PATH']!, TRAWLER_NOTIFY_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-tell-'));
    flow = join(folder, 'coffee.json');
    const places = { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 1, to: 'places.jsonl' };
    await writeFile(flow, JSON.stringify({ name: 'coffee', stages: { places } }));
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        got.push({ headers: request.headers, body });
        response.writeHead(answers.shift() ?? 200).end();
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0/secret`;
  });
  afterEach(async () => {
    server.close();
    got.length = 0;
    answers.length = 0;
    await rm(folder, { recursive: true, force: true });
  });

  it('a command has the summary on standard input, and counts in variables', async () => {
    const file = join(folder, 'told.json');
    const { code } = await run(
      '--on-end',
      `cat > ${file}; echo "$TRAWLER_EVENT $TRAWLER_FLOW $TRAWLER_OUTCOME $TRAWLER_EXIT_CODE $TRAWLER_ROWS" >> ${file}`,
    );
    const [json, variables] = (await readFile(file, 'utf8')).trim().split('\n');
    const news = JSON.parse(json!) as { readonly [name: string]: unknown };
    const rows = (await readFile(join(folder, 'out/places.jsonl'), 'utf8')).trim().split('\n');
    expect(code).toBe(0);
    expect(variables).toBe(`end coffee capped 0 ${rows.length}`);
    expect(news).toMatchObject({
      event: 'end',
      exitCode: 0,
      outcome: 'capped',
      requests: 1,
      stages: [{ name: 'places', rows: rows.length }],
    });
    const { title } = JSON.parse(rows[0]!) as { readonly title: string };
    expect(json).not.toContain(title);
  });

  it('a command that fails is told, and the exit code says so', async () => {
    const { code, stderr } = await run('--on-end', 'echo no mail today; exit 3');
    expect([code, stderr]).toEqual([1, "no mail today\nThe command for 'end' ended with 3.\n"]);
  });

  it('an address is asked again, and can check who asks', async () => {
    answers.push(503);
    const { code, stderr } = await run('--notify', hook);
    expect([code, stderr, got.length]).toEqual([0, '', 2]);
    const [first, second] = got as [Got, Got];
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = second.headers;
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    expect(signature).toBe(
      `v1,${createHmac('sha256', key)
        .update(`${String(id)}.${String(time)}.${second.body}`)
        .digest('base64')}`,
    );
    expect(JSON.parse(second.body)).toMatchObject({ event: 'end', flow: 'coffee', outcome: 'capped' });
  });

  it('an address that refuses is named by its host only', async () => {
    answers.push(404);
    const { code, stderr } = await run('--notify', hook);
    expect([code, stderr]).toEqual([1, `${new URL(hook).host} wasn't told of 'end': it answered 404.\n`]);
  });

  it('an address that cannot be one is refused before anything is sent', async () => {
    const { code, stderr } = await run('--notify', 'ftp://example.com/hook');
    expect([code, stderr]).toEqual([2, 'trawler: --notify takes an address such as https://example.com/hook.\n']);
  });

  it('a run that fails is told, too', async () => {
    await writeFile(join(folder, 'out'), 'a file, where a folder should be');
    const { code } = await run('--notify', hook);
    expect(code).toBe(2);
    expect(got.map(({ body }) => JSON.parse(body) as object)).toEqual([
      expect.objectContaining({ event: 'end', exitCode: 2, text: expect.stringContaining('out') as string }),
    ]);
  });

  it('an outage of a minute is told while it lasts, and its end; a shorter one is not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const events$ = new Subject<object>();
    const outage = (state: string): void => events$.next({ type: 'outage', state });
    const file = join(folder, 'trouble');
    const news = new RunNews(
      { 'on-trouble': `echo $TRAWLER_EVENT >> ${file}` },
      { stderr: new Kept(), env: { PATH: process.env['PATH'] } } as never,
      { flow: 'coffee', folder },
    );
    const stop = news.watch({ events$ } as never);
    outage('begun');
    vi.advanceTimersByTime(59_000);
    outage('over');
    outage('begun');
    vi.advanceTimersByTime(61_000);
    outage('over');
    stop();
    vi.useRealTimers();
    await news.ended(0);
    expect(await readFile(file, 'utf8')).toBe('outage\nrecovered\n');
  });

  it('a stage that ends doubtful is told once', async () => {
    const news = new RunNews({ notify: hook }, { stderr: new Kept(), env: {} } as never, { flow: 'coffee', folder });
    const doubtful = {
      type: 'progress',
      stages: [{ name: 'places', outcome: 'doubtful', doubts: ['phone is filled in 12 % of the rows'] }],
    };
    news.take(doubtful as never);
    news.take(doubtful as never);
    await news.ended(1);
    const events = got.map(({ body }) => JSON.parse(body) as { readonly event: string; readonly text: string });
    expect(events.map(({ event }) => event)).toEqual(['doubtful', 'end']);
    expect(events[0]!.text).toBe('coffee: places is doubtful: phone is filled in 12 % of the rows');
  });
});
