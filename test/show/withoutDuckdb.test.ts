import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RowsPart } from '../../src/show/api.ts';
import { resolveAs } from '../resolveAs.ts';
import { shownRun } from './shownRun.ts';

const needed =
  'DuckDB shows more than the first rows: it sorts, filters, counts values and runs SQL. Install it: npm install @duckdb/node-api';

describe('the page without DuckDB', () => {
  let run: Awaited<ReturnType<typeof shownRun>>;
  let server: ChildProcess;
  let url: string;
  beforeAll(async () => {
    const to = ['all.jsonl', 'all.csv', 'all.jsonl.gz', 'all.sqlite', 'all.parquet'];
    const places = { call: 'mapsSearch', with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' }, pages: 2, to };
    run = await shownRun({ name: 'plain', stages: { places } });
    const lines = Array.from({ length: 1000 }, (_, n) => `${JSON.stringify({ stage: `s${n % 100}`, n })}\n`);
    await writeFile(join(run.folder, 'failures.jsonl'), lines.join(''));
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
  const rowsOf = async (params: string): Promise<RowsPart> => (await ask(`rows?offset=0&limit=100&${params}`)).json() as Promise<RowsPart>;

  it('has all rows of a small text file, and the first 200 of a large one', async () => {
    const first = await rowsOf('file=all.jsonl');
    expect([first.total, first.onlyFirst]).toEqual([first.rows.length, undefined]);
    for (const file of ['all.csv', 'all.jsonl.gz', 'all.sqlite']) expect((await rowsOf(`file=${file}`)).total).toBe(first.total);
    expect(await (await ask('row?file=all.jsonl&n=1')).json()).toMatchObject({ gps_coordinates: { latitude: expect.any(Number) } });
    const second = (await (await ask('rows?file=failures.jsonl&offset=100&limit=100')).json()) as RowsPart;
    expect([second.rows.at(-1)!.n, second.total, second.onlyFirst]).toEqual([199, undefined, 200]);
    expect(await (await ask('rows?file=failures.jsonl&offset=200&limit=100')).text()).toBe(needed);
  });

  it.each([
    'rows?file=all.jsonl&sort=rating&limit=10',
    'rows?file=all.jsonl&q=tea&limit=10',
    'facets?file=all.csv',
    'query?file=all.csv&sql=SELECT%201',
    'rows?file=all.parquet&limit=10',
    'row?file=failures.jsonl&n=300',
  ])('says what to install for %s', async (path) => {
    const response = await ask(path);
    expect([response.status, await response.text()]).toEqual([400, needed]);
  });
});
