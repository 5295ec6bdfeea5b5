// One crawl into a table of PostgreSQL, for slow.mjs. Prints how long it took, in wall time and in CPU.
import { lastValueFrom, tap } from 'rxjs';
import { createClient } from '../../dist/bundle/index.js';
import { runFlow } from '../../dist/bundle/flow.js';
import { postgresDestination } from '../../dist/bundle/sinks.js';

const { sandbox, apiKey, postgres, outDir, table, places } = JSON.parse(process.argv[2]);
const destination = postgresDestination(postgres);
let transactions = 0;
/** The destination, with a counter of its commits. */
const counted = {
  check: (target) => destination.check(target),
  async open(target) {
    const session = await destination.open(target);
    const commit = session.commit.bind(session);
    session.commit = (to) => ((transactions += 1), commit(to));
    return session;
  },
};
const data_id = Array.from({ length: places }, (_, nth) => `0x${nth.toString(16)}:0x1`);
const stages = { reviews: { call: 'mapsReviews', with: { data_id, results: 20 }, pages: 5, to: `postgres:${table}` } };
const client = createClient({ baseUrl: sandbox, apiKey, rate: 'unlimited' });
let [startedAt, lastRowAt] = [0, 0];
const { user, system } = process.cpuUsage();
const progress$ = runFlow({ name: 'slow', stages }, { client, outDir, destinations: { postgres: counted }, commitMs: 50 }).pipe(
  tap(({ type }) => {
    if (type === 'start') startedAt = performance.now();
    if (type === 'commit') lastRowAt = performance.now();
  }),
);
const { outcome, requests, stages: told } = await lastValueFrom(progress$);
const wholeMs = Math.round(performance.now() - startedAt);
const used = process.cpuUsage();
await client.close();
const cpuMs = Math.round((used.user + used.system - user - system) / 1000);
console.log(
  JSON.stringify({ outcome, requests, rows: told[0].rows, transactions, crawlMs: Math.round(lastRowAt - startedAt), wholeMs, cpuMs }),
);
