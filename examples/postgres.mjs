// Reviews into PostgreSQL with COPY, in one transaction, through a sink of one's own. It needs psql, and where to connect
// to in PGHOST, PGUSER … or PGSERVICE. While the database is slow, no further page is requested.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lastValueFrom, of } from 'rxjs';
import { createClient } from 'trawler';
import { items, offsetPages, placeReviews } from 'trawler/operators';
import { startSandbox } from 'trawler/sandbox';
import { toSink } from 'trawler/sinks';

/** A psql that copies lines of JSON, and makes rows of them at the end: those that are there already are replaced. */
async function openTable() {
  const psql = spawn('psql', ['-XqAt', '-v', 'ON_ERROR_STOP=1'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const over = once(psql, 'exit').catch(() => [1]);
  psql.stdin.on('error', () => undefined); // psql has gone: its exit code says why
  psql.stdin.write(`BEGIN; CREATE TABLE IF NOT EXISTS reviews (review_id text PRIMARY KEY, rating int, snippet text);
    CREATE TEMP TABLE lines (line json); COPY lines FROM STDIN (FORMAT csv, DELIMITER e'\\x01', QUOTE e'\\x02');\n`);
  const write = async (rows) => {
    if (psql.exitCode !== null) throw new Error(`psql ended with ${psql.exitCode}`);
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    if (!psql.stdin.write(text)) await Promise.race([once(psql.stdin, 'drain'), over]);
  };
  const finish = async () => {
    psql.stdin.end(`\\.\nINSERT INTO reviews SELECT r.* FROM lines, json_populate_record(NULL::reviews, line) r
      ON CONFLICT (review_id) DO UPDATE SET rating = excluded.rating; COMMIT; SELECT count(*) FROM reviews;\n`);
    const [count, [code]] = await Promise.all([psql.stdout.toArray(), over]);
    if (code !== 0) throw new Error(`psql ended with ${code}`);
    return `${String(count).trim()} reviews in the table`;
  };
  return { write, finish, abort: () => psql.kill() }; // without COMMIT nothing stays
}

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
const reviews$ = of({ query: 'coffee', ll: '@40.74,-73.98,14z' }).pipe(offsetPages(client.mapsSearch, { maxPages: 1 }), items());
await lastValueFrom(reviews$.pipe(placeReviews(client, { maxPages: 1 }), items(), toSink(openTable))).then(console.log, (error) =>
  console.log(`# skipped: there is no PostgreSQL to connect to (${error.message}); it is in the Debian package postgresql`),
);
await client.close();
await sandbox.close();

/* prints
176 reviews in the table
*/
