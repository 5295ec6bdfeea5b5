import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { envelope, startServer } from '../../client/startServer.ts';
import { textWidth } from '../../../src/cli/text/textWidth.ts';
import { tableRows } from '../../sinks/tableRows.ts';
import { runInProcess } from '../runInProcess.ts';

describe('trawler call', () => {
  let sandbox: Sandbox;
  let folder: string;
  let data_id: string;
  const call = (...argv: readonly string[]): ReturnType<typeof runInProcess> =>
    runInProcess(['call', ...argv], { env: { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: sandbox.apiKey } });
  const rows = (text: string): readonly { readonly [field: string]: unknown }[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly [field: string]: unknown });

  beforeAll(async () => {
    sandbox = await startSandbox();
    folder = await mkdtemp(join(tmpdir(), 'trawler-call-'));
    const { stdout } = await call('mapsSearch', '--query', 'coffee', '--format', 'jsonl');
    const [most] = rows(stdout).toSorted((one, other) => Number(other['reviews']) - Number(one['reviews']));
    data_id = String(most?.['data_id']);
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('prints one page as JSON, with types as the operation has them on the wire', async () => {
    sandbox.reset();
    const { code, stdout } = await call('webSearch', '--query', 'coffee', '--page=1', '--html');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ operation: 'webSearch', query: { query: 'coffee', page: 1, html: true } });
    expect(sandbox.requests.map((request) => request.query)).toEqual([{ query: 'coffee', page: '1', html: 'true' }]);
  });

  it('prints what the response has beside the data', async () => {
    const body = envelope({ suggestions: [], verbatim_relevance: 1 }, { html: '<p>', credits: 7 });
    await using server = await startServer((_, response) => response.end(body));
    const { code, stdout } = await runInProcess(['call', 'autocomplete', '--query', 'x'], { env: { TRAWLER_BASE_URL: server.url, TRAWLER_API_KEY: 'k' } }); // prettier-ignore
    expect([code, (JSON.parse(stdout) as { beside: unknown }).beside]).toEqual([0, { html: '<p>', credits: 7 }]);
  });

  it('says of a service without operations what it lacks, as the check of a flow does', async () => {
    const [service, flow] = [join(folder, 'shop.json'), join(folder, 'flow.json')];
    await writeFile(service, JSON.stringify({ name: 'shop', operations: {} }));
    await writeFile(flow, JSON.stringify({ name: 'f', service: './shop.json', stages: { found: { call: 'search', to: 'found.jsonl' } } }));
    for (const argv of [
      ['call', 'search', '--service', service],
      ['check', flow],
    ]) {
      const { code, stderr } = await runInProcess(argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining("shop describes no operation, so only 'trawler proxy' can use it")]);
    }
  });

  it('prints the rows of all pages, one per line', async () => {
    sandbox.reset();
    const { code, stdout, stderr } = await call('mapsReviews', '--data_id', data_id, '--pages', 'all');
    expect([code, stderr]).toEqual([0, '']);
    expect(sandbox.count()).toBeGreaterThan(1);
    const ids = rows(stdout).map((row) => row['review_id']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('stops at the page limit, also for numbered pages, and says that there are more', async () => {
    sandbox.reset();
    const { stdout, stderr } = await call('webSearch', '--query', 'coffee', '--pages', '2');
    expect(sandbox.count()).toBe(2);
    expect(rows(stdout).length).toBeGreaterThan(2);
    expect(stderr).toMatch(/webSearch: capped after 2 pages/);
    expect((await call('webSearch', '--query', 'coffee', '--pages', '2', '--quiet')).stderr).toBe('');
  });

  it('prints several whole pages, one per line', async () => {
    const { stdout } = await call('webSearch', '--query', 'coffee', '--pages', '2', '--format', 'json');
    expect(rows(stdout).map((page) => page['operation'])).toEqual(['webSearch', 'webSearch']);
  });

  it('reads the rows of another list', async () => {
    const { stdout } = await call('mapsReviews', '--data_id', data_id, '--rows', 'topics');
    expect(Object.keys(rows(stdout)[0] ?? {})).toEqual(['keyword', 'mentions', 'id']);
  });

  it('writes a file of any kind by its ending, rows to stdout with -, and refuses an ending that names no format', async () => {
    for (const [name, table] of [
      ['tea.parquet', ''],
      ['tea.sqlite', 'tea'],
      ['tea.duckdb', 'tea'],
    ] as const) {
      const { code, stderr } = await call('mapsReviews', '--data_id', data_id, '--out', join(folder, name));
      expect([code, stderr]).toEqual([0, expect.stringContaining(`${name}: `)]);
      expect((await tableRows(name, await readFile(join(folder, name)), table)).length).toBeGreaterThan(3);
    }
    sandbox.reset();
    const refused = await call('mapsReviews', '--data_id', data_id, '--out', join(folder, 'x.txt'));
    expect([refused.code, sandbox.count()]).toEqual([2, 0]);
    expect(refused.stderr).toContain(
      'x.txt names no format. Use .jsonl, .ndjson, .csv, .tsv (each also with .gz or .zst), .parquet, .duckdb, .sqlite.',
    );
    const lines = await call('mapsReviews', '--data_id', data_id, '--out', '-');
    expect(rows(lines.stdout)[0]).toHaveProperty('review_id');
    const table = await call('mapsReviews', '--data_id', data_id, '--out', '-', '--format', 'csv');
    expect(table.stdout).toMatch(/^link,rating,/);
  });

  it('gives the same table on stdout as in a file', async () => {
    const path = join(folder, 'reviews.csv');
    const { code, stdout, stderr } = await call('mapsReviews', '--data_id', data_id, '--out', path);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/reviews\.csv: \d+ rows, [\d,]+ bytes\n$/);
    const table = await call('mapsReviews', '--data_id', data_id, '--format', 'csv');
    expect(table.stdout).toBe(await readFile(path, 'utf8'));
    expect(table.stdout.split('\n')[0]).toContain('review_id');
  });

  it('writes CSV as its options say, on stdout and in a file, and refuses those that say nothing', async () => {
    const ask = ['call', 'mapsSearch', '--query', 'coffee', '--ll', '@40.74,-73.98,14z', '--sandbox'];
    const csv = ['--columns', 'title,phone', '--delimiter', ';', '--bom', '--eol', 'crlf', '--formulas', 'keep', '--quiet'];
    const { stdout } = await runInProcess([...ask, '--format', 'csv', ...csv]);
    const path = join(folder, 'places.csv');
    await runInProcess([...ask, '--out', path, ...csv]);
    expect(stdout).toMatch(/^\uFEFFtitle;phone\r\n.+;\+1 \d/);
    expect(await readFile(path, 'utf8')).toBe(stdout);
    const refused = async (...more: readonly string[]): Promise<readonly unknown[]> => {
      const { code, stderr } = await runInProcess([...ask, ...more]);
      return [code, stderr.trim()];
    };
    expect(await refused('--out', 'x.csv', '--columns', 'phon')).toEqual([
      2,
      "trawler: --columns: rows of mapsSearch have no 'phon'; did you mean 'phone'?.",
    ]);
    expect(await refused('--delimiter', ';')).toEqual([2, 'trawler: --delimiter needs --out FILE, or --format csv.']);
    expect(await refused('--out', 'x.parquet', '--bom')).toEqual([2, 'trawler: --bom says nothing about a parquet file.']);
    expect(await refused('--out', 'x.csv', '--formulas', 'kept')).toEqual([
      2,
      `trawler: --formulas: "kept" can't stand here: 'escape' or 'keep'.`,
    ]);
  });

  it('writes rows to a file, and replaces none', async () => {
    const path = join(folder, 'places.jsonl');
    expect((await call('mapsSearch', '--query', 'coffee', '--out', path)).code).toBe(0);
    expect(rows(await readFile(path, 'utf8'))[0]).toHaveProperty('data_id');
    sandbox.reset();
    const { code, stderr } = await call('mapsSearch', '--query', 'coffee', '--out', path);
    expect([code, sandbox.count()]).toEqual([2, 0]);
    expect(stderr).toContain('places.jsonl');
    expect(stderr).toContain('add --overwrite');
    expect(stderr).not.toContain('overwrite: true');
    const other = await call('mapsSearch', '--query', 'tea', '--out', path, '--overwrite');
    expect([other.code, sandbox.count()]).toEqual([0, 1]);
  });

  it('lets no control character of a response through, whatever the format', async () => {
    const formats = ['table', 'json', 'jsonl', 'csv'].map((format) =>
      runInProcess(['call', 'webSearch', '--query', 'coffee \u001b[2J\u202e', '--format', format, '--sandbox'], {
        terminal: { columns: 80, rows: 24 },
        env: { NO_COLOR: '1' },
      }),
    );
    for (const { code, stdout } of await Promise.all(formats)) {
      expect(code).toBe(0);
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    }
  });

  it('is a table on a terminal, of its width, in which ids get the least room', async () => {
    const terminal = { columns: 70, rows: 24 };
    const env = { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: sandbox.apiKey, NO_COLOR: '1' };
    const { stdout, stderr } = await runInProcess(['call', 'mapsSearch', '--query', 'coffee'], { env, terminal });
    const [heading, ...lines] = stdout.trimEnd().split('\n') as [string, ...string[]];
    expect(heading).toMatch(/^title +/);
    expect(heading).toContain('rating');
    expect(heading).not.toContain('data_id');
    expect(lines).toHaveLength(20);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(70);
    expect(stderr).toMatch(/^20 rows, \d+ more fields\. Use --format json to see everything\.\n$/);
    const one = await runInProcess(['call', 'aiMode', '--query', 'coffee'], { env, terminal });
    expect(one.stdout).toMatch(/^text_blocks +\d+ items\n/);
  });

  it('calls the embedded service without a key', async () => {
    const { code, stdout } = await runInProcess(['call', 'autocomplete', '--query', 'cof', '--format', 'jsonl', '--sandbox']);
    expect(code).toBe(0);
    expect(rows(stdout).length).toBeGreaterThan(0);
  });

  it('lists the operation’s parameters in its help', async () => {
    const { code, stdout } = await runInProcess(['call', 'mapsReviews', '--help']);
    expect(code).toBe(0);
    for (const part of ['trawler call mapsReviews', '\n  data_id ', 'string, required', '--pages N']) expect(stdout).toContain(part);
  });

  it.each([
    [[], 'The operation comes first'],
    [['--query', 'x'], 'The operation comes first'],
    [['webSerch', '--query', 'x'], 'Did you mean webSearch?'],
    [['webSearch', '--qery', 'x'], 'Did you mean --query?'],
    [['mapsReviews', '--dataId', 'x'], 'Did you mean --data_id?'],
    [['webSearch', 'coffee'], "'coffee' stands without an option name."],
    [['webSearch'], 'query'],
    [['webSearch', '--query', 'x', '--page', 'two'], 'page'],
    [['mapsSearch', '--query', 'x', '--pages', '2'], 'Pages after the first of mapsSearch need --ll.'],
    [['webSearch', '--query', 'x', '--pages', 'some'], "--pages is a whole number from 1, or 'all', not 'some'."],
    [['webSearch', '--query', 'x', '--format', 'xml'], "--format is table, json, jsonl, csv, not 'xml'."],
    [['webSearch', '--query', 'x', '--out', 'x.csv', '--format', 'csv'], 'ending sets the format'],
    [['webSearch', '--query', 'x', '--concurrency', '0'], '--concurrency is a whole number from 1'],
    [['webSearch', '--query', 'x', '--rate', 'fast'], '--rate is a number'],
    [['webSearch', '--query', 'x', '--sandbox', '--base-url', 'https://x.example'], 'Use one of them'],
    [['aiMode', '--query', 'x', '--pages', '2'], 'one page'],
    [['webSearch', '--query', 'x', '--overwrite'], '--overwrite needs --out FILE'],
  ] as const)('refuses %j before any request', async (argv, message) => {
    sandbox.reset();
    const { code, stdout, stderr } = await call(...argv);
    expect([code, stdout, sandbox.count()]).toEqual([2, '', 0]);
    expect(stderr).toContain(message);
  });

  it('says what is missing when there is no address or no key', async () => {
    const neither = await runInProcess(['call', 'webSearch', '--query', 'x']);
    expect([neither.code, neither.stderr]).toEqual([
      2,
      'trawler: TRAWLER_BASE_URL and TRAWLER_API_KEY are not set.\n  Set them in the environment or in a file that --env names, or add --sandbox to use the embedded service.\n',
    ]);
    const keyless = await runInProcess(['call', 'webSearch', '--query', 'x', '--base-url', 'https://x.example']);
    expect(keyless.stderr).toContain('TRAWLER_API_KEY is not set.');
  });

  it('exits with 2 when the service refuses the key, and never prints the key', async () => {
    const env = { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: 'sk-wrong-canary' };
    const { code, stderr } = await runInProcess(['call', 'webSearch', '--query', 'x'], { env: { ...env, TRAWLER_DEBUG: '1' } });
    expect(code).toBe(2);
    expect(stderr).toContain('401');
    expect(stderr).not.toContain('canary');
  });

  it('stays within its budget', async () => {
    sandbox.reset();
    const { code, stdout } = await call('mapsReviews', '--data_id', data_id, '--pages', 'all', '--max-requests', '1');
    expect([code, sandbox.count()]).toEqual([1, 1]);
    expect(rows(stdout).length).toBeGreaterThan(0);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('stops at %s with %i', async (signal, code) => {
    const stop = new AbortController();
    stop.abort(signal);
    const env = { TRAWLER_BASE_URL: sandbox.url, TRAWLER_API_KEY: sandbox.apiKey };
    sandbox.reset();
    expect((await runInProcess(['call', 'webSearch', '--query', 'x'], { env, signal: stop.signal })).code).toBe(code);
    expect(sandbox.count()).toBe(0);
  });
});
