import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fileKindOf } from '../../../src/sinks/index.ts';
import { SqlProcess } from '../../../src/show/data/SqlProcess.ts';
import { ofTheDay } from '../../ofTheDay.ts';
import type { TableSpec } from '../../../src/show/data/TableSpec.ts';

const [KiB, MiB] = [2 ** 10, 2 ** 20];

describe('SqlProcess', () => {
  let folder: string;
  let spec: TableSpec;
  let sql: SqlProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-sql-'));
    const path = join(folder, 'rows.jsonl');
    await writeFile(path, '{"n":1}\n{"n":2}\n');
    const columns = [{ name: 'n', type: 'integer', keys: ['n'] }];
    const info = { file: 'rows.jsonl', sqlName: 'found', growing: false };
    spec = { info, columns, path, kind: fileKindOf(path), csv: undefined, sqlTable: undefined } as unknown as TableSpec;
  });
  afterEach(() => sql.close());
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('gives rows with the documented types, or a part of them with long cells cut', async () => {
    sql = new SqlProcess(spec);
    expect(await sql.query('SELECT sum(n) AS total, typeof(any_value(n)) AS type FROM found')).toEqual({
      columns: ['total', 'type'],
      rows: [['3', 'BIGINT']],
      more: false,
    });
    const long = 'SELECT n, repeat(chr(120), n) AS long, [n] AS list FROM range(600) r(n) ORDER BY n DESC;';
    const part = await sql.query(long, { offset: 90, maxCell: 500 });
    expect([part.columns, part.rows.length, part.more]).toEqual([['n', 'long', 'list'], 500, true]);
    expect(part.rows[0]).toEqual(['509', `${'x'.repeat(500)}… (cut: 509 characters)`, '[509]']);
    expect((await sql.query('FROM range(3) r(n) -- all', { offset: 2, maxCell: 9 })).rows).toEqual([['2']]);
    await expect(sql.query('SELECT 1) UNION ALL (SELECT 2', { maxCell: 9 })).rejects.toThrow('syntax error');
  });

  // DuckDB interrupts the first two itself. The others are one call of a function, for which it waits.
  const endless = [
    ['a join', 'SELECT count(*) FROM range(1000000000) a, range(1000000000) b'],
    ['a recursion', 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r'],
    ['levenshtein', "SELECT levenshtein(repeat('a', 600000), repeat('b', 600000))"],
    ['list_reduce', 'SELECT list_reduce(range(30000000), lambda a, b: a + b)'],
    [
      'a nested lambda',
      'SELECT list_sum(list_transform(range(100000), lambda a: list_sum(list_transform(range(100000), lambda b: a * b))))',
    ],
  ] as const;
  it.each(ofTheDay(endless, 1))('ends %s that never ends, and runs the next query', async (_, text) => {
    sql = new SqlProcess(spec);
    await sql.query('SELECT 1');
    await expect(sql.query(text, { ms: 500 })).rejects.toThrow('took longer than 0.5 seconds');
    expect((await sql.query('SELECT count(*) FROM found')).rows).toEqual([['2']]);
  });

  const greedy = [
    ['a sort', 'SELECT max(x) FROM (SELECT n, repeat(chr(120), 300) || n AS x FROM range(30000000) r(n) ORDER BY hash(x))'],
    ['a string of 2 GB', "SELECT length(repeat(repeat('x', 1000000), 2000))"],
    ['2,000 strings of a MB', "SELECT length(list_transform(range(2000), lambda n: repeat('x', 1000000))::VARCHAR)"],
    ['a list of 500 million numbers', 'SELECT len(range(500000000))'],
    ['rows of 100 MB', "SELECT repeat('x', 100000000) FROM range(500)"],
    ['an aggregate', "SELECT length(string_agg(repeat('x', 100000), ',')) FROM range(100000)"],
  ] as const;
  it.each(ofTheDay(greedy, 1))('ends %s that takes more memory than it may, and runs the next query', async (_, text) => {
    sql = new SqlProcess(spec, 400 * MiB);
    await sql.query('SELECT 1');
    const peak = watchPeak();
    await expect(sql.query(text, { ms: 60_000 })).rejects.toThrow(/more than 400 MiB of memory|Out of Memory|memory limit/i);
    expect(peak()).toBeLessThan(1100 * MiB);
    expect((await sql.query('SELECT count(*) FROM found')).rows).toEqual([['2']]);
  });

  it('runs one query after the other, in one process, which ends with the table', async () => {
    sql = new SqlProcess(spec);
    const all = await Promise.all([1, 2, 3].map((n) => sql.query(`SELECT n * ${n} FROM found ORDER BY n`)));
    expect(all.map(({ rows }) => rows.flat())).toEqual([['1', '2'], ['2', '4'], ['3', '6']]); // prettier-ignore
    const running = children();
    expect(running).toHaveLength(1);
    sql.close();
    await expect.poll(children).toEqual([]);
  });
});

/** The processes of SQL that this one has started. */
function children(): readonly string[] {
  if (process.platform !== 'linux') return []; // there is no /proc: the peak is 0
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      return Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('sql.js');
    } catch {
      return false; // it has just ended
    }
  });
}

/** Looks every few milliseconds at how much memory the process takes. Returns what gives the most. */
function watchPeak(): () => number {
  const [pid] = children();
  let most = 0;
  const timer = setInterval(() => {
    try {
      const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      most = Math.max(most, Number(kib ?? 0) * KiB);
    } catch {
      clearInterval(timer); // it has ended
    }
  }, 5);
  return () => {
    clearInterval(timer);
    return most;
  };
}
