import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RunNotifier } from '../../src/cli/RunNotifier.ts';
import { Kept, runInProcess } from './runInProcess.ts';

/** Variables that trawler reads, or a program that it runs in itself. */
const secrets = {
  TRAWLER_API_KEY: 'k',
  TRAWLER_PASSWORD: 'p',
  TRAWLER_NOTIFY_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  SERPAPI_API_KEY: 'k',
  DATABASE_URL: 'postgres://u:p@h/d',
  PGPASSWORD: 'p',
  AWS_SECRET_ACCESS_KEY: 's',
};

interface Got {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('messages about a run', () => {
  let folder: string;
  let flow: string;
  let server: Server;
  let hook: string;
  const got: Got[] = [];
  /** What the address answers, one after the other; then 200. */
  const answers: number[] = [];
  const run = (...argv: readonly string[]): ReturnType<typeof runInProcess> =>
    runInProcess(['run', flow, '--out', join(folder, 'out'), '--sandbox', '--quiet', ...argv], {
      env: { PATH: process.env['PATH']!, CHAT_URL: 'https://chat', ...secrets },
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
        got.push({ url: request.url!, headers: request.headers, body });
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
      `cat > ${file}; echo "$TRAWLER_EVENT $TRAWLER_FLOW $TRAWLER_FOLDER $TRAWLER_EXIT_CODE" >> ${file}`,
    );
    const [json, variables] = (await readFile(file, 'utf8')).trim().split('\n');
    const message = JSON.parse(json!) as { readonly [name: string]: unknown };
    const rows = (await readFile(join(folder, 'out/places.jsonl'), 'utf8')).trim().split('\n');
    expect(code).toBe(0);
    expect(variables).toBe(`end coffee ${join(folder, 'out')} 0`);
    expect(message).toMatchObject({
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
    expect([code, stderr]).toEqual([1, `${new URL(hook).host} wasn't told of 'end': the response was 404.\n`]);
  });

  it('an address that cannot be one is refused before anything is sent', async () => {
    for (const address of ['ftp://example.com/hook', 'https://crawler:%zz@example.com/hook']) {
      const { code, stderr } = await run('--notify', address);
      expect([code, stderr]).toEqual([2, 'trawler: --notify takes an address such as https://example.com/hook.\n']);
    }
  });

  it('a run that fails is told, too', async () => {
    await writeFile(join(folder, 'out'), 'a file, where a folder should be');
    const { code } = await run('--notify', hook);
    expect(code).toBe(2);
    expect(got.map(({ body }) => JSON.parse(body) as object)).toEqual([
      expect.objectContaining({ event: 'end', exitCode: 2, text: expect.stringContaining('out') as string }),
    ]);
  });

  it.each([
    ['has no key', [], 'TRAWLER_BASE_URL and TRAWLER_API_KEY are not set.'],
    ['cannot be published', ['--sandbox', '--publish', 'ftp://a/b'], 'it could not begin'],
  ] as const)('a run that %s is told, too', async (_, argv, text) => {
    const { code } = await runInProcess(['run', flow, '--out', join(folder, 'out'), '--quiet', '--notify', hook, ...argv]);
    expect(code).toBe(2);
    expect(got.map(({ body }) => JSON.parse(body) as object)).toEqual([
      expect.objectContaining({ event: 'end', exitCode: 2, text: `coffee: ${text}` }),
    ]);
  });

  it('an address with a password gets it as a header, and nobody else sees it', async () => {
    const { code, stderr } = await run('--notify', `${hook.replace('//', '//crawler:p%40ss%2Fword@')}?token=t0k`);
    expect([code, stderr, got.length]).toEqual([0, '', 1]);
    expect(got[0]!.headers.authorization).toBe(`Basic ${Buffer.from('crawler:p@ss/word').toString('base64')}`);
    expect(got[0]!.url).toBe('/services/T0/secret?token=t0k');
  });

  it('an address that is not reached is named by its host only', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true, advanceTimeDelta: 1000 });
    const { code, stderr } = await run('--notify', 'http://crawler:hush@127.0.0.1:1/secret?token=t0k');
    vi.useRealTimers();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^127\.0\.0\.1:1 wasn't told of 'end': [^\n]+\n$/);
    expect(stderr).not.toMatch(/hush|secret|t0k|crawler/);
  });

  it('a command gets none of the variables that trawler reads', async () => {
    const file = join(folder, 'env');
    const { code } = await run('--on-end', `env > ${file}`);
    const names = (await readFile(file, 'utf8')).split('\n').map((line) => line.split('=')[0]!);
    expect(code).toBe(0);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'CHAT_URL', 'TRAWLER_TEXT', 'TRAWLER_EXIT_CODE']));
    for (const secret of Object.keys(secrets)) expect(names).not.toContain(secret);
  });

  it('a command that takes too long is ended, with what it has started', async () => {
    const file = join(folder, 'late');
    const { code, stderr } = await run('--on-end', `(while :; do echo >> ${file}; sleep 0.1; done) & wait`, '--on-end-timeout', '1s');
    expect([code, stderr]).toEqual([1, "The command for 'end' took longer than 1.0 s, and was ended.\n"]);
    const before = await readFile(file, 'utf8');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('an outage that the client calls too long is told with its reason, and its end; a shorter one is not', async () => {
    const events$ = new Subject<object>();
    const because = 'connect ECONNREFUSED 127.0.0.1:1';
    const outage = (state: string): void => events$.next({ type: 'outage', state, because: state === 'over' ? undefined : because });
    const file = join(folder, 'trouble');
    const notifier = new RunNotifier(
      { 'on-end': `echo $TRAWLER_EVENT: $TRAWLER_TEXT >> ${file}` },
      { stderr: new Kept(), env: { PATH: process.env['PATH'] } } as never,
      { flow: 'coffee', folder },
    );
    const other$ = new Subject<object>();
    const stops = [notifier.watch({ events$ } as never), notifier.watch({ events$: other$ } as never, 'serper')];
    outage('begun');
    outage('over');
    outage('begun');
    outage('tooLong');
    other$.next({ type: 'outage', state: 'over' });
    other$.next({ type: 'outage', state: 'tooLong', because });
    outage('over');
    for (const stop of stops) stop();
    await notifier.ended(0);
    expect((await readFile(file, 'utf8')).split('\n')).toEqual([
      'outage: coffee: no request gets through: connect ECONNREFUSED 127.0.0.1:1',
      'outage: coffee: no request gets through to serper: connect ECONNREFUSED 127.0.0.1:1',
      'recovered: coffee: requests get through again',
      'end: coffee: it could not begin',
      '',
    ]);
  });

  it('a stage that ends doubtful is told once', async () => {
    const notifier = new RunNotifier({ notify: hook }, { stderr: new Kept(), env: {} } as never, { flow: 'coffee', folder });
    const doubtful = {
      type: 'progress',
      stages: [{ name: 'places', outcome: 'doubtful', doubts: ['phone is filled in 12 % of the rows'] }],
    };
    notifier.take(doubtful as never);
    notifier.take(doubtful as never);
    await notifier.ended(1);
    const events = got.map(({ body }) => JSON.parse(body) as { readonly event: string; readonly text: string });
    expect(events.map(({ event }) => event)).toEqual(['doubtful', 'end']);
    expect(events[0]!.text).toBe('coffee: places is doubtful: phone is filled in 12 % of the rows');
  });
});
