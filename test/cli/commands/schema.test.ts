import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../runInProcess.ts';

let out: string;
let flow: string;
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'trawler-schema-'));
  flow = join(out, 'coffee.json');
  const { stages } = JSON.parse(await readFile('examples/flows/coffee.json', 'utf8')) as { readonly stages: { readonly places: object } };
  await writeFile(flow, JSON.stringify({ name: 'coffee', stages: { ...stages, places: { ...stages.places, limit: 3 } } }));
  await runInProcess(['run', flow, '--sandbox', '--quiet', '--out', out]);
});
afterAll(() => rm(out, { recursive: true }));

const linesOf = async (file: string): Promise<number> => (await readFile(join(out, file), 'utf8')).trimEnd().split('\n').length;

function inSqlite(sql: string): string {
  return execFileSync('sqlite3', [':memory:'], { input: sql, encoding: 'utf8' }) === '1\n' ? 'true' : 'false';
}

async function inDuckdb(sql: string, query: string): Promise<string> {
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(sql);
  const [[value]] = (await connection.runAndReadAll(query)).getRowsJson() as [[boolean]];
  connection.closeSync();
  return String(value);
}

describe('trawler schema', () => {
  it('prints the SQL that loads the files of a flow into DuckDB, as often as it is run', async () => {
    const { stdout, code } = await runInProcess(['schema', flow, '--for', 'duckdb', '--out', out]);
    expect(code).toBe(0);
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(stdout);
    await connection.run(stdout);
    const [[reviews]] = (await connection.runAndReadAll('SELECT count(*) FROM reviews')).getRowsJson() as [[string]];
    expect(Number(reviews)).toBe(await linesOf('reviews.jsonl'));
    connection.closeSync();
  });

  it('prints the SQL that loads them into SQLite, as often as it is run, or leaves the tables as they were', async () => {
    const { stdout } = await runInProcess(['schema', flow, '--for', 'sqlite', '--out', out]);
    const database = join(out, 'coffee.db');
    const load = (sql: string): void => void execFileSync('sqlite3', [database], { input: sql, stdio: ['pipe', 'ignore', 'ignore'] });
    const count = (): number => Number(execFileSync('sqlite3', [database, 'SELECT count(*) FROM reviews'], { encoding: 'utf8' }));
    load(stdout);
    load(stdout);
    expect(count()).toBe(await linesOf('reviews.jsonl'));
    expect(() => load(stdout.replaceAll('reviews.jsonl', 'missing.jsonl'))).toThrow('sqlite3');
    expect(count()).toBe(await linesOf('reviews.jsonl'));
  });

  it.each(['duckdb', 'sqlite'])('prints SQL that loads several tables of one .%s', async (kind) => {
    const own = await mkdtemp(join(tmpdir(), 'trawler-schema-two-'));
    const stage = { call: 'webSearch', with: { query: 'tea' }, to: `all.${kind}` };
    await writeFile(
      join(own, 'two.json'),
      JSON.stringify({ name: 'two', stages: { first: stage, second: { ...stage, with: { query: 'rain' } } } }),
    );
    await runInProcess(['run', join(own, 'two.json'), '--sandbox', '--quiet', '--out', own]);
    const { stdout: sql } = await runInProcess(['schema', join(own, 'two.json'), '--for', kind, '--out', own]);
    const count = 'SELECT (SELECT count(*) FROM first) > 0 AND (SELECT count(*) FROM second) > 0';
    expect(kind === 'sqlite' ? inSqlite(`${sql}\n${sql}\n${count};`) : await inDuckdb(`${sql}\n${sql}`, count)).toBe('true');
    await rm(own, { recursive: true });
  });

  it('prints a statement for one operation, and a JSON Schema', async () => {
    const { stdout } = await runInProcess(['schema', 'mapsReviews', '--for', 'postgres', '--null', '\\N']);
    expect(stdout).toContain('CREATE TABLE "mapsReviews" (\n  "link" text,\n  "rating" bigint,');
    expect(stdout).toContain(
      `\\copy "mapsReviews" from 'mapsReviews.csv' with (format csv, header true, null '\\N', force_null ("iso_date", `,
    );
    const one = JSON.parse((await runInProcess(['schema', 'mapsReviews', '--for', 'json-schema'])).stdout) as { properties: object };
    expect(Object.keys(one.properties)).toContain('review_id');
    const all = JSON.parse((await runInProcess(['schema', flow, '--for', 'json-schema'])).stdout) as { $defs: object };
    expect(Object.keys(all.$defs)).toEqual(['places', 'reviews', 'photos']);
  });

  it('names the files of a flow from where one is', async () => {
    const [usual, other] = await Promise.all(
      [[], ['--out', 'elsewhere']].map((more) => runInProcess(['schema', flow, '--for', 'duckdb', ...more])),
    );
    expect(usual!.stdout).toContain("'out/coffee/reviews.csv'");
    expect(other!.stdout).toContain("'elsewhere/reviews.csv'");
  });

  it('says what is wrong', async () => {
    expect((await runInProcess(['schema', flow])).stderr).toContain('--for is missing: name one of duckdb, postgres, sqlite, json-schema.');
    expect((await runInProcess(['schema', flow, '--for', 'oracle'])).stderr).toContain("--for can't be 'oracle'");
    expect((await runInProcess(['schema', '--for', 'duckdb'])).code).toBe(2);
    expect((await runInProcess(['schema', 'mapsReviews', '--for', 'duckdb', '--file', 'a.txt'])).stderr).toContain('names no format');
    expect((await runInProcess(['schema', 'mapReviews.json', '--for', 'duckdb'])).stderr).toContain('There is no file mapReviews.json');
  });
});
