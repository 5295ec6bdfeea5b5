// How fast rows come into PostgreSQL: a flow's loader beside psql's \copy of the same file, in turns. `--rows N`, default 100,000.
// Needs psql, and DATABASE_URL of a database in which it may make tables.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lastValueFrom, map, range, toArray } from 'rxjs';
import { columnsOf, createClient } from '../../dist/bundle/index.js';
import { items } from '../../dist/bundle/operators.js';
import { startSandbox } from '../../dist/bundle/sandbox.js';
import { loadStatement, postgresDestination, toCsv, toJsonl } from '../../dist/bundle/sinks.js';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '3' } } });
const url = process.env.DATABASE_URL;
const count = Number(values.rows);
const rangeBytes = 4 << 20;
const folder = mkdtempSync(join(tmpdir(), 'trawler-bench-postgres-'));
const psql = (script) =>
  execFileSync('psql', [url, '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', '-'], { input: script, cwd: folder }).toString();

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
const some = await lastValueFrom(client.mapsReviews({ data_id: '0x1:0x1', results: 20 }).pipe(items(), toArray()));
const columns = columnsOf(client.mapsReviews.operation).map(({ path, keys, type }) => ({ header: path, keys, type }));
await client.close();
await sandbox.close();
const rows$ = range(0, count).pipe(map((n) => ({ ...some[n % some.length], review_id: `review-${n}` })));
const choice = columns.map(({ header, ...column }) => ({ path: header, ...column }));
await lastValueFrom(rows$.pipe(toJsonl(join(folder, 'rows.jsonl'))));
await lastValueFrom(rows$.pipe(toCsv(join(folder, 'rows.csv'), { columns: choice, formulas: 'keep' })));

/** As a flow does: ranges of the file, each with its position. */
async function load(table, key) {
  const session = await postgresDestination(url).open({
    name: table,
    columns,
    key,
    mode: 'merge',
    flow: 'bench',
    run: `${table} ${performance.now()}`,
    stage: 'bench',
    file: 'rows.jsonl',
  });
  await session.recover();
  const file = openSync(join(folder, 'rows.jsonl'), 'r');
  const size = statSync(join(folder, 'rows.jsonl')).size;
  for (let at = 0; at < size;) {
    const bytes = Buffer.allocUnsafe(Math.min(rangeBytes, size - at));
    readSync(file, bytes, 0, bytes.length, at);
    const whole = bytes.lastIndexOf(10) + 1;
    const result = await session.load(bytes.toString('utf8', 0, whole - 1).split('\n'));
    if (result.rejected?.length !== 0) throw new Error(JSON.stringify(result).slice(0, 500));
    await session.commit({ bytes: (at += whole), digest: 'x' });
  }
  closeSync(file);
  await session.close();
}
const statement = (path, table) => loadStatement('postgres', { path, table, columns, csv: { formulas: 'keep' } });
const withKey = (sql) => sql.replace('"review_id" text', '"review_id" text PRIMARY KEY');
const ways = {
  'psql \\copy of the CSV': () => psql(statement('rows.csv', 'bench')),
  'trawler, no key': () => load('bench', []),
  'psql \\copy of the CSV, primary key': () => psql(withKey(statement('rows.csv', 'bench'))),
  'trawler, merged by key': () => load('bench', ['review_id']),
  'psql \\copy of the JSONL (trawler schema)': () => psql(statement('rows.jsonl', 'bench')),
};
const best = new Map();
for (let round = 0; round < Number(values.rounds); round += 1)
  for (const [name, run] of Object.entries(ways)) {
    psql('DROP TABLE IF EXISTS bench; CHECKPOINT;');
    const started = performance.now();
    await run();
    const ms = performance.now() - started;
    if (psql('SELECT count(*) FROM bench').trim() !== String(count)) throw new Error(`${name}: rows are missing`);
    best.set(name, Math.min(best.get(name) ?? Infinity, ms));
  }
const size = statSync(join(folder, 'rows.jsonl')).size;
console.log(
  `${count} reviews, ${Math.round(size / 1e6)} MB as JSONL; the best of ${values.rounds}; peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
);
for (const [name, ms] of best) console.log(`${name.padEnd(44)} ${Math.round((count / ms) * 1000).toLocaleString('en-US')} rows/s`);
psql('DROP TABLE bench');
rmSync(folder, { recursive: true });
