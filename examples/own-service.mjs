// A service of your own, described in own-service/library.mjs: in a pipe with types, and as a flow that is killed and resumed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { count, lastValueFrom, map, of } from 'rxjs';
import { createClient } from 'trawler';
import { expandCursor, items, offsetPages } from 'trawler/operators';
import library from './own-service/library.mjs';
import { startLibrary } from './own-service/server.mjs';

const server = await startLibrary();
const client = createClient({ service: library, baseUrl: server.url, apiKey: 'secret' });
const editions$ = of({ subject: 'rain' }).pipe(
  expandCursor(client.books), // the address of each next page is in the response
  items(),
  map(({ id }) => ({ id })),
  offsetPages(client.editions),
  items(),
);
console.log('in a pipe:', await lastValueFrom(editions$.pipe(count())), 'editions');
await client.close();

// The same flow twice: the first run is killed, the second one resumes it.
const trawler = fileURLToPath(new URL('cli.js', import.meta.resolve('trawler')));
const flow = fileURLToPath(new URL('own-service/flow.json', import.meta.url));
const env = { ...process.env, TRAWLER_BASE_URL: server.url, TRAWLER_API_KEY: 'secret' };
const run = () => spawn(process.execPath, [trawler, 'run', flow, '--out', 'library', '--rate', '50', '--json'], { env });
const before = server.requests();
const first = run();
while (server.requests() - before < 30) await setTimeout(10);
first.kill('SIGKILL');
await once(first, 'exit');
console.log('killed after 30 requests or a few more');
const lines = (await run().stdout.toArray()).join('').trim().split('\n');
const { outcome, files } = JSON.parse(lines.at(-1));
console.log('resumed:', outcome, ...files.map(({ path, rows }) => `${path} ${rows} rows`));
await server.close();

/* prints
in a pipe: 85 editions
killed after 30 requests or a few more
resumed: complete books.csv 34 rows editions.jsonl 170 rows
*/
