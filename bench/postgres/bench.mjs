// How fast rows come into PostgreSQL: a flow's loader beside psql's \copy of the same rows into a table of the same types and the
// same key, in turns. `--rows N`, default 100,000. Needs psql, and DATABASE_URL of a database in which it may make tables.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lastValueFrom, map, range, toArray } from 'rxjs';
import { columnsOf, createClient } from '../../dist/bundle/index.js';
import { items } from '../../dist/bundle/operators.js';
import { startSandbox } from '../../dist/bundle/sandbox.js';
import { loadStatement, toCsv, toJsonl } from '../../dist/bundle/sinks.js';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '3' } } });
const url = process.env.DATABASE_URL;
const count = Number(values.rows);
const runLoad = fileURLToPath(new URL('runLoad.mjs', import.meta.url));
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

/** In a process of its own. Returns how long it took. */
function load(key) {
  const task = JSON.stringify({ path: join(folder, 'rows.jsonl'), table: 'bench', columns, key });
  const { ms, peakMB } = JSON.parse(execFileSync(process.execPath, [runLoad, task]).toString());
  peak = Math.max(peak, peakMB);
  return ms;
}
function copy(keyed) {
  const sql = loadStatement('postgres', { path: 'rows.csv', table: 'bench', columns, csv: { formulas: 'keep' } }).replaceAll(
    '" json',
    '" jsonb',
  );
  const from = performance.now();
  psql(keyed ? sql.replace('"review_id" text', '"review_id" text PRIMARY KEY') : sql);
  return performance.now() - from;
}
let peak = 0;
const ways = {
  'psql \\copy of the CSV': () => copy(false),
  trawler: () => load([]),
  'psql \\copy of the CSV, primary key': () => copy(true),
  'trawler, primary key': () => load(['review_id']),
};
const best = new Map();
for (let round = 0; round < Number(values.rounds); round += 1)
  for (const [name, run] of Object.entries(ways)) {
    psql('DROP TABLE IF EXISTS bench; CHECKPOINT;');
    const ms = run();
    if (psql('SELECT count(*) FROM bench').trim() !== String(count)) throw new Error(`${name}: rows are missing`);
    best.set(name, Math.min(best.get(name) ?? Infinity, ms));
  }
const size = statSync(join(folder, 'rows.jsonl')).size;
console.log(`${count} reviews, ${Math.round(size / 1e6)} MB as JSONL; the best of ${values.rounds}; peak memory of trawler ${peak} MB`);
for (const [name, ms] of best) console.log(`${name.padEnd(44)} ${Math.round((count / ms) * 1000).toLocaleString('en-US')} rows/s`);
psql('DROP TABLE bench');
rmSync(folder, { recursive: true });
