import { request } from 'node:http';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Facet, RowsPart, RunEntry, RunState, ShownTiles, SqlRows, TableInfo } from '../../src/show/api.ts';
import { startShow, type Show } from '../../src/show/startShow.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { changeJournal, shownRun } from './shownRun.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Runs a flow in a folder of its own, and shows it. */
async function withRun(
  flow: object,
  use: (shown: {
    readonly folder: string;
    readonly read: <T>(path: string) => Promise<T>;
    readonly again: (...args: readonly string[]) => Promise<void>;
  }) => Promise<void>,
  files: { readonly [name: string]: string } = {},
): Promise<void> {
  const { folder, again, remove } = await shownRun(flow, files);
  const shown = await startShow({ folder, allowRead: [join(folder, '..')] });
  const read = async <T>(path: string): Promise<T> => {
    for (;;) {
      const response = await fetch(shown.url.replace('/?', path));
      expect([path, response.ok ? '' : await response.text()]).toEqual([path, '']);
      const value = (await response.json()) as T & { readonly read?: number };
      if (value.read === undefined) return value; // else it still reads the file
    }
  };
  try {
    await use({ folder, read, again });
  } finally {
    await shown.close();
    await remove();
  }
}

describe('startShow', () => {
  let run: Awaited<ReturnType<typeof shownRun>>;
  let show: Show;
  beforeAll(async () => {
    run = await shownRun();
    await writeFile(join(run.folder, 'failures.jsonl'), '{"error":{"message":"<script>alert(1)</script>"}}\n');
    show = await startShow({ folder: run.folder });
  });
  afterAll(async () => {
    await show.close();
    await run.remove();
  });

  /** Sends a request by hand: fetch doesn't let one choose the Host header. */
  function ask(path: string, params: object = {}, options: { method?: string; headers?: Record<string, string> } = {}): Promise<Answer> {
    const url = new URL(show.url);
    const all = new URLSearchParams({ token: url.searchParams.get('token')! });
    for (const [name, value] of Object.entries(params)) for (const one of [value].flat()) all.append(name, String(one));
    if (all.getAll('token').length > 1) all.set('token', all.getAll('token')[1]!);
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: url.port, path: `${path}?${all.toString()}`, ...options }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk)));
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      });
      sent.on('error', reject).end();
    });
  }
  const json = async <T>(path: string, params: object = {}): Promise<T> => {
    for (;;) {
      const { status, text } = await ask(path, params);
      expect(`${status} ${status === 200 || status === 202 ? '' : text}`).toBe(`${status} `);
      const value = JSON.parse(text) as T & { readonly read?: number };
      if (value.read === undefined) return value; // else it still reads the file
    }
  };

  it('lists files as tables with the types and meanings of their columns', async () => {
    const tables = await json<{ file: string; rows: number; columns: { name: string; type?: string }[] }[]>('/api/tables');
    expect(tables.map(({ file }) => file)).toEqual(['places.csv', 'places.jsonl', 'reviews.jsonl', 'failures.jsonl', 'empty.jsonl']);
    expect(tables[0]!.columns).toContainEqual(expect.objectContaining({ name: 'rating', type: 'number' }));
    expect(tables[2]).toMatchObject({
      stage: 'reviews',
      call: 'mapsReviews',
      related: [{ kind: 'parent', file: 'places.csv', isExact: false }],
    });
  });

  it('says whether rows of another table are certain to belong to a row: others may have the same name', async () => {
    const reviews = (keep: object): object => ({ call: 'placeReviews', each: 'places', keep, to: 'reviews.jsonl' });
    const place = { call: 'mapsSearch', with: { query: 'tea', ll: '@40.74,-73.98,14z' }, to: 'places.jsonl' };
    for (const [keep, isExact] of [[{ place: '$.title' }, false], [{ place: '$.title', id: '$.data_id' }, true]] as const)
      await withRun({ name: 'kept', stages: { places: place, reviews: reviews(keep) } }, async ({ read }) => {
        const tables = await read<TableInfo[]>('/api/tables?');
        expect(tables.flatMap(({ related }) => related.map((one) => [one.kind, one.isExact]))).toEqual([['child', isExact], ['parent', isExact]]);
      });
  }); // prettier-ignore

  it('serves a page of rows, and a row in full', async () => {
    const part = await json<{ rows: { n: number; cells: (string | null)[] }[]; total: number }>('/api/rows', { file: 'reviews.jsonl', offset: 0, limit: 3 }); // prettier-ignore
    expect(part.rows.map(({ n }) => n)).toEqual([0, 1, 2]);
    const row = await json<object>('/api/row', { file: 'reviews.jsonl', n: 2 });
    expect(row).toMatchObject({ user: { name: expect.any(String) }, rating: Number(part.rows[2]!.cells[0]) });
  });

  it.each([
    ['without a token', { token: '' }, {}, 401],
    ['with a wrong token', { token: 'x'.repeat(32) }, {}, 401],
    ['under a foreign name, as after DNS rebinding', {}, { headers: { Host: 'evil.example' } }, 403],
    ['under an address that it does not listen on', {}, { headers: { Host: '192.168.0.7' } }, 403],
    ['from the page of another origin', {}, { headers: { Origin: 'http://evil.example' } }, 403],
    ['as a POST without an origin', {}, { method: 'POST' }, 403],
    ['with another method', {}, { method: 'DELETE' }, 405],
  ])('refuses a request %s', async (_, params, options, status) => {
    for (const path of ['/', '/api/runs', '/api/rows', '/api/facets', '/api/query', '/api/changes', '/api/click']) {
      const answer = await ask(path, params, options);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.text).not.toContain('<');
    }
  });

  it('opens no file but those of the list', async () => {
    const outside = ['../town.json', '..%2Ftown.json', join(run.folder, 'places.csv'), '.trawler/journal.jsonl', 'datapackage.json', ''];
    for (const file of outside)
      for (const path of ['/api/rows', '/api/facets', '/api/query', '/api/changes'])
        expect((await ask(path, { file, limit: 1, sql: 'SELECT 1', format: 'json' })).status).toBe(404);
    for (const id of ['..', '../..', tmpdir(), '.trawler']) expect((await ask('/api/state', { run: id })).status).toBe(404);
    for (const path of ['/report.html', '/../town.json', '/api/../town.json', '/etc/passwd']) expect((await ask(path)).status).toBe(404);
  });

  it('takes no SQL: columns are looked up, and values are values', async () => {
    const total = async (params: object): Promise<number> => (await json<{ total: number }>('/api/rows', { file: 'reviews.jsonl', limit: 1, ...params })).total; // prettier-ignore
    const all = await total({});
    expect(all).toBeGreaterThan(10);
    for (const attack of ["'; DROP TABLE rows; --", "\"; ATTACH 'x.db' AS x; --", "x') OR 1=1 --"]) {
      const text = encodeURIComponent(attack);
      expect(await total({ q: attack, f: [`has:place:${text}`] })).toBe(0);
      expect((await ask('/api/rows', { file: 'reviews.jsonl', limit: 1, sort: attack })).status).toBe(400);
      expect((await ask('/api/rows', { file: 'reviews.jsonl', limit: 1, f: [`is:${text}:1`] })).status).toBe(400);
      expect((await ask('/api/rows', { file: 'reviews.jsonl', limit: `1; DROP TABLE rows` })).status).toBe(400);
    }
    expect(await total({})).toBe(all);
  });

  it('runs a SELECT in SQL, and nothing that writes, reads another file, or never ends', async () => {
    const query = { file: 'places.csv', sql: 'SELECT count(*) AS n, typeof(any_value(rating)) AS type FROM places' };
    const all = await json<SqlRows>('/api/query', query);
    expect(all).toEqual({ columns: ['n', 'type'], rows: [[expect.stringMatching(/^\d+$/), 'DOUBLE']], more: false });
    const outside = join(run.folder, 'reviews.jsonl');
    const before = await readdir(run.folder, { recursive: true });
    for (const sql of [
      'DROP TABLE rows', 'DELETE FROM rows', 'UPDATE rows SET c0 = 1', "INSERT INTO rows (c0) VALUES ('x')", 'CREATE TABLE other (a INT)',
      'SELECT 1; DROP TABLE rows', 'WITH x AS (SELECT 1) DELETE FROM rows', `COPY places TO '${join(run.folder, 'stolen.csv')}'`,
      `SELECT * FROM read_json('${outside}')`, `SELECT * FROM '${outside}'`, "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM glob('/etc/*')",
      `ATTACH '${join(run.folder, 'x.duckdb')}'`, 'SET enable_external_access = true', 'RESET memory_limit', 'INSTALL httpfs', 'LOAD httpfs',
      "EXPORT DATABASE 'x'", 'CHECKPOINT', 'ROLLBACK', "SELECT getenv('HOME')", 'nonsense', '',
    ])
      expect([sql, (await ask('/api/query', { file: 'places.csv', sql })).status]).toEqual([sql, 400]); // prettier-ignore
    expect(await json<SqlRows>('/api/query', query)).toEqual(all);
    expect(await readdir(run.folder, { recursive: true })).toEqual(before);
    const many = await json<SqlRows>('/api/query', { file: 'places.csv', sql: 'SELECT * FROM range(1000000000000)' });
    expect([many.rows.length, many.more]).toEqual([500, true]);
  });

  it('counts the most frequent values of columns with few, among the rows of a view', async () => {
    const facets = await json<Facet[]>('/api/facets', { file: 'reviews.jsonl', f: 'from:rating:4' });
    const rating = facets.find(({ column }) => column === 'rating')!;
    expect(rating.values.map(({ value }) => value).toSorted()).toEqual(['4', '5']);
    for (const { value, count } of rating.values)
      expect(await json('/api/rows', { file: 'reviews.jsonl', f: `is:rating:${value}`, limit: 1 })).toMatchObject({ total: count });
    expect(facets.map(({ column }) => column)).not.toContain('review_id');
  });

  it('tells browsers to run nothing that a response has', async () => {
    const { headers, text } = await ask('/api/row', { file: 'failures.jsonl', n: 0 });
    expect(text).toContain('<script>');
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('refuses a click where it only looks', async () => {
    const { host, origin } = new URL(show.url);
    const answer = await ask('/api/click', { button: 'pause' }, { method: 'POST', headers: { Host: host, Origin: origin } });
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('is read-only') });
  });

  it('lists the rows that a database refused', async () => {
    const file = join(run.folder, 'rejected.jsonl');
    await writeFile(file, '{"stage":"places","to":"postgres:places","at":0,"reason":"a NUL in title","row":{"title":"\\u0000"}}\n');
    const tables = await json<TableInfo[]>('/api/tables');
    const found = tables.find(({ file }) => file === 'rejected.jsonl');
    expect(found).toMatchObject({ kind: 'failures', columns: ['stage', 'to', 'at', 'reason', 'row'].map((name) => ({ name })) });
    await rm(file);
  });

  it('lists what updates changed, with the row before and after', async () => {
    const changes = join(run.folder, 'changes', '2026-05-01T09-30-00.000Z');
    await mkdir(changes, { recursive: true });
    const line = { change: 'changed', fields: ['rating'], was: { rating: 3 }, row: { title: 'Wall Café', rating: 4 } };
    await writeFile(
      join(changes, 'places.jsonl'),
      `${JSON.stringify(line)}\n${JSON.stringify({ change: 'gone', row: { title: 'Gone' } })}\n`,
    );
    await writeFile(join(changes, 'reviews.jsonl'), ''); // nothing has changed there
    const tables = await json<{ file: string; kind: string; stage: string }[]>('/api/tables');
    const [table, ...others] = tables.filter(({ kind }) => kind === 'changes');
    expect(others).toEqual([]);
    expect(table).toMatchObject({ file: 'changes/2026-05-01T09-30-00.000Z/places.jsonl', stage: 'places' });
    expect(await json('/api/rows', { file: table!.file, f: 'is:change:changed', limit: 9 })).toMatchObject({ total: 1, rows: [{ n: 0 }] });
    expect(await json('/api/row', { file: table!.file, n: 0 })).toEqual(line);
    await rm(join(run.folder, 'changes'), { recursive: true });
  });

  it('lists what rose and fell in a series, and which number', async () => {
    const changes = join(run.folder, 'changes', '2026-05-02T09-30-00.000Z');
    await mkdir(changes, { recursive: true });
    const line = { change: 'fell', field: 'rating', was: 5, is: 4, row: { title: 'Wall Café', rating: 4 } };
    await writeFile(join(changes, 'places.jsonl'), `${JSON.stringify(line)}\n`);
    const file = 'changes/2026-05-02T09-30-00.000Z/places.jsonl';
    const { row } = line;
    expect(await json('/api/changes', { file, change: 'fell' })).toEqual({
      counts: { new: 0, changed: 0, gone: 0, rose: 0, fell: 1 },
      fields: [{ name: 'rating', count: 1 }],
      rows: [{ n: 0, row, was: { rating: 5 }, fields: ['rating'] }],
      leftOut: 0,
    });
    const { rows } = await json<RowsPart>('/api/rows', { file, f: 'is:change:fell', limit: 9 });
    expect(rows[0]!.cells.slice(0, 5)).toEqual(['fell', null, '5', 'rating', '4']);
    await rm(join(run.folder, 'changes'), { recursive: true });
  });

  it('lists the runs of the folder and beside it', async () => {
    const runs = await json<{ id: string; flow: string; outcome: string; requests: number; rows: number }[]>('/api/runs');
    expect(runs).toEqual([expect.objectContaining({ id: '', flow: 'town', phase: 'done', outcome: 'capped' })]);
    expect(runs[0]!.rows).toBeGreaterThan(100);
    expect(runs[0]!.requests).toBeGreaterThan(10);
  });

  it('says where a run stands, and what is not complete', async () => {
    const state = await json<{ ending: string; steps: { text: string }[]; stages: { name: string }[] }>('/api/state');
    expect(state.ending).toMatch(/^done after .*; \d+ requests/);
    expect(state.steps.map(({ text }) => text).join('\n')).toMatch(/capped by pages: 2/);
    expect(state.stages.map(({ name }) => name)).toEqual(['places', 'reviews']);
  });

  it('reads Parquet, DuckDB and SQLite files as tables, and writes nothing beside them', async () => {
    const to = ['all.jsonl', 'all.parquet', 'all.duckdb', 'all.sqlite'];
    const stages = { places: { call: 'mapsSearch', with: { query: 'tea', ll: '@40.74,-73.98,14z' }, to } };
    await withRun({ name: 'kinds', stages }, async ({ read, folder }) => {
      const before = await readdir(folder);
      const view = '&offset=0&limit=500&f=from:rating:4&sort=-rating&';
      const cellsOf = async (file: string): Promise<readonly (readonly (string | null)[])[]> => {
        const { columns } = (await read<TableInfo[]>('/api/tables?')).find((one) => one.file === file)!;
        const { rows } = await read<RowsPart>(`/api/rows?file=${file}${view}`);
        const wanted = ['title', 'rating', 'gps_coordinates.latitude', 'phone', 'reviews'].map((name) =>
          columns.findIndex((one) => one.name === name),
        );
        return rows.map(({ cells }) => wanted.map((at) => cells[at] ?? null));
      };
      const [first, ...others] = await Promise.all(to.map(cellsOf));
      expect(first!.length).toBeGreaterThan(3);
      for (const other of others) expect(other).toEqual(first);
      for (const file of to) {
        expect(await read(`/api/row?file=${file}&n=0&`)).toMatchObject({ title: expect.any(String) });
      }
      expect(await readdir(folder)).toEqual(before);
    });
  });

  it('has the area of a stage, and the tiles that it searched', async () => {
    const cover = { within: [-74, 40.7, -73.96, 40.76] as const, zoom: [13, 15] as const };
    const stages = { places: { call: 'mapsSearch', with: { query: 'coffee' }, cover, to: 'places.jsonl' } };
    await withRun({ name: 'area', stages }, async ({ read }) => {
      const { tiles, rings } = await read<ShownTiles>('/api/tiles?stage=places&');
      expect(rings).toHaveLength(1);
      expect(tiles.length).toBeGreaterThan(1);
      expect(tiles.reduce((sum, { rows = 0 }) => sum + rows, 0)).toBeGreaterThan(0);
      expect(await read('/api/tiles?stage=nobody&')).toEqual({ tiles: [], rings: [] });
    });
  });

  it('shows the stages of a flow whose seeds and areas are beside it, also during an update and after it', async () => {
    const cover = { within: 'town.geojson', zoom: [13, 15] };
    const stages = {
      places: { call: 'mapsSearch', with: { query: 'coffee' }, cover, to: 'places.jsonl' },
      towns: { call: 'mapsSearch', each: 'towns.csv', with: { query: '$.query', ll: '@40.74,-73.98,14z' }, to: 'towns.jsonl' },
    };
    const ring = [[-74, 40.7], [-73.96, 40.7], [-73.96, 40.76], [-74, 40.76], [-74, 40.7]]; // prettier-ignore
    const files = { 'town.geojson': JSON.stringify({ type: 'Polygon', coordinates: [ring] }), 'towns.csv': 'query\ntea\n' };
    await withRun({ name: 'area', stages }, async ({ read, again }) => {
      const shows = async (phase: string): Promise<void> => {
        const state = await read<RunState>('/api/state?');
        expect([state.phase, state.stages.map(({ name }) => name), state.notes]).toEqual([phase, ['places', 'towns'], []]);
        expect((await read<ShownTiles>('/api/tiles?stage=places&')).rings).toHaveLength(1);
      };
      await shows('done');
      await expect(again('--update', '--max-requests', '1')).rejects.toThrow('interrupted');
      await shows('stopped');
      await again('--update');
      await shows('done');
      await again('--fresh');
      const { stages: older, notes: olderNotes } = await read<RunState>('/api/state?run=old-1&');
      expect([older.map(({ name }) => name), olderNotes]).toEqual([['places', 'towns'], []]);
    }, files); // prettier-ignore
  });

  it('begins with the latest run of a folder that has no run itself', async () => {
    const stages = { places: { call: 'mapsSearch', with: { query: 'tea', ll: '@40.74,-73.98,14z' }, to: 'places.jsonl' } };
    await withRun({ name: 'again', stages }, async ({ folder, again }) => {
      const before = await startShow({ folder });
      await cp(folder, join(folder, '..', 'older'), { recursive: true });
      await again('--fresh');
      await rename(folder, join(folder, '..', 'a & b'));
      const after = await startShow({ folder: join(folder, '..') });
      expect([before.url, after.url].map((url) => new URL(url).hash)).toEqual(['', '#now?run=a+%26+b']);
      await Promise.all([before.close(), after.close()]);
    });
  });

  it('keeps the history of a folder: the crawl, then each update with what it changed', async () => {
    const stages = { places: { call: 'mapsSearch', with: { query: 'tea', ll: '@40.74,-73.98,14z' }, to: 'places.jsonl' } };
    await withRun({ name: 'again', stages }, async ({ read, again }) => {
      for (let times = 0; times < 2; times += 1) await again('--update');
      const [{ history }] = (await read<RunEntry[]>('/api/runs?')) as [RunEntry];
      expect(history.map(({ changes }) => changes)).toEqual([undefined, ...[1, 2].map(() => ({ new: 0, changed: 0 }))]);
      expect(history.map(({ startedAt }) => startedAt)).toEqual(history.map(({ startedAt }) => startedAt).toSorted());
      for (const one of history) expect(one).toMatchObject({ rows: history[0]!.rows, failed: 0, drift: 0, requests: expect.any(Number) });
    });
  });

  it('suggests a command of its own, and counts money where the price is known', async () => {
    const state = await json<RunState>('/api/state');
    expect(state.command).toBe(`trawler run FLOW --out ${run.folder}`);
    const priced = await startShow({ folder: run.folder, price: 0.002, program: 'npx trawler' });
    const response = await fetch(priced.url.replace('/?', '/api/state?'));
    expect(await response.json()).toMatchObject({ price: 0.002 });
    expect(await (await fetch(priced.url)).text()).toContain('<meta name="program" content="npx trawler">');
    await priced.close();
  });

  it('says how to begin in a folder without a run', async () => {
    const folder = join(run.folder, 'changes');
    const empty = await startShow({ folder, command: (path) => `npx trawler run FLOW --out ${path}` });
    for (const path of ['state', 'tables']) {
      const response = await fetch(empty.url.replace('/?', `/api/${path}?`));
      expect([response.status, await response.text()]).toEqual([
        404,
        expect.stringContaining(`Start one: npx trawler run FLOW --out ${folder}.`),
      ]);
    }
    await empty.close();
  });

  it('shows the one run of a folder that had none, at an address for this machine where it listens on all', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trawler-later-'));
    const page = await startShow({ folder, host: '0.0.0.0', exposed: true });
    expect(page.url).toMatch(/^http:\/\/localhost:\d+\/\?token=[^#]+$/);
    await cp(run.folder, join(folder, 'cafes'), { recursive: true });
    const response = await fetch(page.url.replace('/?', '/api/state?'));
    expect(await response.json()).toMatchObject({ id: 'cafes', phase: 'done' });
    await page.close();
    await rm(folder, { recursive: true });
  });

  it('says that a journal is damaged, and how it is repaired', async () => {
    const stages = { places: { call: 'mapsSearch', with: { query: 'tea', ll: '@40.74,-73.98,14z' }, to: 'places.jsonl' } };
    await withRun({ name: 'hurt', stages }, async ({ folder }) => {
      const journal = join(folder, '.trawler', 'journal.jsonl');
      const whole = await readFile(journal, 'utf8');
      const told = async <T>(path: string, text: string): Promise<T> => {
        await writeFile(journal, text);
        const shown = await startShow({ folder });
        const response = await fetch(shown.url.replace('/?', path));
        await shown.close();
        return (await response.json()) as T;
      };
      const stateOf = (text: string): Promise<RunState> => told('/api/state?', text);
      const inRuns = async (text: string): Promise<object> => {
        const entries = await told<RunEntry[]>('/api/runs?', text);
        const { phase, outcome } = entries.find(({ id }) => id === '')!;
        return { phase, outcome };
      };
      expect((await stateOf(`${whole}{"half`)).notes).toEqual([]);
      // The files are whole, and the data package says how the run ended. The journal is damaged later, at any place.
      expect(await inRuns(`${whole}{"half`)).toEqual({ phase: 'done', outcome: 'capped' });
      const lines = whole.trimEnd().split('\n');
      for (const at of lines.keys()) {
        expect([at, await inRuns(`${lines.with(at, `%${lines[at]}`).join('\n')}\n`)]).toMatchObject([at, { phase: 'damaged' }]);
        expect([at, (await stateOf(`${lines.with(at, `%${lines[at]}`).join('\n')}\n`)).phase]).toEqual([at, 'damaged']);
      }
      expect(await inRuns('')).toMatchObject({ phase: 'damaged' });
      expect(await inRuns(`${lines.slice(0, -1).join('\n')}\n`)).toMatchObject({ phase: 'stopped' });
      expect(await stateOf(whole.replace('\n{', '\n%'))).toMatchObject({
        notes: [
          {
            text: expect.stringMatching(/^Line 2 of the journal can't be read.* Resume it from there/),
            command: expect.stringMatching(/ --repair$/),
          },
        ],
        steps: [],
      });
      expect(await stateOf(whole.slice(0, 40))).toMatchObject({
        flow: 'town',
        notes: [{ text: expect.stringMatching(/^The journal has no beginning.* Start over/), command: expect.stringMatching(/ --fresh$/) }],
        steps: [],
      });
    });
  });

  it('says that a run stopped because too many queries failed', async () => {
    await using failing = await startSandbox();
    failing.setFaults([{ fault: 'status', status: 404, operation: 'mapsReviews', share: 1 }]);
    const folder = join(run.folder, '..', 'failing');
    const env = { TRAWLER_API_KEY: failing.apiKey };
    const { code } = await runInProcess(['run', run.flow, '--out', folder, '--quiet', '--base-url', failing.url], { env });
    expect(code).not.toBe(0);
    const shown = await startShow({ folder });
    const { phase, steps } = (await (await fetch(shown.url.replace('/?', '/api/state?'))).json()) as RunState;
    await shown.close();
    expect(phase).toBe('stopped');
    expect(steps[0]).toEqual({
      text: expect.stringMatching(/^\d+ of \d+ queries have failed, which is more than failAbove \(0\.5\) allows\. Resume:$/),
      command: expect.stringContaining(`--out ${folder}`),
    });
  });

  it('counts no break between two processes of a run as time that it took, and has no button with nothing to do', async () => {
    const folder = join(run.folder, '..', 'paused');
    await cp(run.folder, folder, { recursive: true });
    const hour = 3_600_000;
    let commits = 0;
    await changeJournal(folder, (record) => {
      if (record.type === 'commit') commits += 1;
      return { ...record, at: commits < 2 ? record.at : record.at + hour };
    });
    const shown = await startShow({ folder });
    const state = (await (await fetch(shown.url.replace('/?', '/api/state?'))).json()) as RunState;
    await shown.close();
    expect(state.breaksMs / hour).toBeCloseTo(1, 2);
    expect(state.ending).toMatch(/^done after [\d.]+ m?s;/);
    expect(state.buttons).toEqual([]);
  });

  it('says what to do about a row that cannot be read, and shows those before it', async () => {
    const stages = { places: { call: 'mapsSearch', with: { query: 'tea', ll: '@40.74,-73.98,14z' }, to: 'places.jsonl' } };
    await withRun({ name: 'torn', stages }, async ({ folder }) => {
      const file = join(folder, 'places.jsonl');
      const lines = (await readFile(file, 'utf8')).split('\n');
      await writeFile(file, lines.with(3, '{"title":').join('\n'));
      const shown = await startShow({ folder });
      const textOf = async (path: string): Promise<string> =>
        (await fetch(shown.url.replace('/?', `/api/${path}&file=places.jsonl&`))).text();
      expect(await textOf('rows?offset=0&limit=3')).toMatch(/^\{"rows":\[\{"n":0/);
      await expect.poll(() => textOf('rows?offset=0&limit=9')).toMatch(/^\{"rows":\[\{"n":0.*"total":3\}$/);
      await expect.poll(() => textOf('rows?offset=0&limit=9&sort=rating')).toMatch(/correct that line, or .* --fresh/);
      await expect.poll(() => textOf('row?n=3')).toMatch(/correct that line, or .* --fresh/);
      await shown.close();
    });
  });

  it('tells of a finished run how fast it was, and what requests waited for', async () => {
    const { timing } = await json<RunState>('/api/state');
    expect(timing).toMatchObject({ requests: expect.any(Number), throttled: 0, meanMs: expect.any(Number), waits: expect.any(Array) });
    expect(timing!.requests).toBeGreaterThan(10);
  });

  it('writes nothing into the folder', async () => {
    const state = async (): Promise<string[]> => {
      const names = await readdir(run.folder, { recursive: true });
      return Promise.all(names.toSorted().map(async (name) => `${name} ${(await stat(join(run.folder, name))).mtimeMs}`));
    };
    const before = await state();
    for (const path of ['/api/runs', '/api/state', '/api/tables']) await ask(path);
    await ask('/api/profile', { file: 'reviews.jsonl', column: 'rating' });
    expect(await state()).toEqual(before);
  });
});
