import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RowsPart, TableInfo } from '../../src/show/api.ts';
import { resolveAs } from '../resolveAs.ts';
import { shownRun } from './shownRun.ts';

const install = 'Install it: npm install @duckdb/node-api';
const needed = `DuckDB sorts rows, counts values and runs SQL. ${install}`;

describe('the page without DuckDB', () => {
  let run: Awaited<ReturnType<typeof shownRun>>;
  let server: ChildProcess;
  let url: string;
  beforeAll(async () => {
    const to = ['all.jsonl', 'all.csv', 'all.jsonl.gz', 'all.sqlite', 'all.parquet', 'all.duckdb'];
    const places = { call: 'mapsSearch', with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' }, pages: 2, to };
    run = await shownRun({ name: 'plain', stages: { places } });
    const args = [...resolveAs('@duckdb/node-api', 'not-installed'), join(inject('dist'), 'bundle/cli.js'), 'show', run.folder];
    server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (text) => (said += String(text)));
    while (!/token=\S+\s/.test(said)) await once(server.stdout!, 'data');
    url = /http:\/\/\S+token=\S+/.exec(said)![0];
  });
  afterAll(async () => {
    server.kill();
    await once(server, 'exit');
    await run.remove();
  });
  const ask = (path: string): Promise<Response> => fetch(url.replace('/?', `/api/${path}&`));
  const rowsOf = async (params: string): Promise<RowsPart> => {
    for (;;) {
      const part = (await (await ask(`rows?offset=0&limit=100&${params}`)).json()) as RowsPart;
      if (part.read === undefined) return part;
    }
  };

  it('has pages, filters and a search of every text file and of SQLite', async () => {
    const tables = (await (await ask('tables?')).json()) as TableInfo[];
    const shownOf = async (file: string, params: string): Promise<object> => {
      const title = tables.find((one) => one.file === file)!.columns.findIndex(({ name }) => name === 'title');
      const { rows, total } = await rowsOf(`file=${file}&${params}`);
      return { total, rows: rows.map(({ n, cells }) => [n, cells[title]]) };
    };
    for (const params of ['', 'f=from:rating:4.5&', 'q=tea&f=filled:phone&']) {
      const first = await shownOf('all.jsonl', params);
      expect([params, first]).toMatchObject([params, { rows: { length: expect.any(Number) } }]);
      for (const file of ['all.csv', 'all.jsonl.gz', 'all.sqlite']) expect([file, params, await shownOf(file, params)]).toEqual([file, params, first]);
    }
    expect(await (await ask('row?file=all.jsonl&n=1')).json()).toMatchObject({ gps_coordinates: { latitude: expect.any(Number) } });
    const points = await ask('points?file=all.csv&latitude=gps_coordinates.latitude&longitude=gps_coordinates.longitude&q=tea');
    expect(((await points.json()) as object[]).length).toBe((await rowsOf('file=all.csv&q=tea')).total);
    expect((await (await ask('export?file=all.jsonl&q=tea&format=jsonl')).text()).trim().split('\n')).toHaveLength((await rowsOf('file=all.jsonl&q=tea')).total!);
  }); // prettier-ignore

  it.each([
    ['rows?file=all.jsonl&sort=rating&limit=10', needed],
    ['profile?file=all.csv&column=rating', needed],
    ['facets?file=all.csv', needed],
    ['query?file=all.csv&sql=SELECT%201', needed],
    ['rows?file=all.parquet&limit=10', `DuckDB reads all.parquet. ${install}`],
    ['rows?file=all.duckdb&limit=10', `DuckDB reads all.duckdb. ${install}`],
  ])('says what to install for %s', async (path, said) => {
    const response = await ask(path);
    expect([response.status, await response.text()]).toEqual([400, said]);
  });

  it('shows the first rows of a large file at once, then what was found so far and how much was read', async () => {
    const file = join(run.folder, 'failures.jsonl');
    await writeFile(file, '');
    for (let part = 0; part < 10; part += 1)
      await appendFile(file, Array.from({ length: 10_000 }, (_, n) => `${JSON.stringify({ stage: `s${n % 100}`, n: part })}\n`).join(''));
    const first = (await (await ask('rows?file=failures.jsonl&offset=0&limit=100')).json()) as RowsPart;
    expect(first.rows).toHaveLength(100);
    const filtered = async (): Promise<RowsPart> =>
      (await (await ask('rows?file=failures.jsonl&offset=0&limit=100&f=is:stage:s7')).json()) as RowsPart;
    const shares: number[] = [];
    let part = await filtered();
    for (; part.total === undefined; part = await filtered()) shares.push(part.read!);
    expect([part.total, part.rows.length, part.rows[99]!.n]).toEqual([1000, 100, 9907]);
    expect(shares.every((share) => share >= 0 && share < 1)).toBe(true);
    expect(await (await ask('rows?file=failures.jsonl&offset=99950&limit=100')).json()).toMatchObject({
      rows: { length: 50 },
      total: 100_000,
    });
  });
});
