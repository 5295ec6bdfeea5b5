import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createClient } from '../../../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { postgresDestination } from '../../../src/sinks/index.ts';
import { ofTheDay } from '../../ofTheDay.ts';
import { postgresBin, startPostgres, type Postgres } from '../../startPostgres.ts';
import { type Cut, cuttingProxy, type CuttingProxy } from './cuttingProxy.ts';

const long = process.env['TRAWLER_LONG'] === '1';
/** Of a whole run, where it is disturbed: without TRAWLER_LONG once each, at another moment the next day. */
const moments = long ? Array.from({ length: 50 }, (_, nth) => (nth + 0.5) / 50) : ofTheDay([1 / 6, 1 / 2, 5 / 6], 1);
const child = fileURLToPath(new URL('loadChild.mjs', import.meta.url));

/** About as long as rows are loaded at the end. */
const loadMs = 100;

/** A database that is away is an error only before the first request. */
const expectedEnd = /^capped$|the database is away/;

/** One table has a key, the other hasn't: it would show each row that is there twice. */
const flowInto = (suffix: string): FlowDefinition => ({
  name: 'killed',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: ['coffee', 'tea'], ll: '@40.74,-73.98,14z' },
      limit: 3,
      by: 'data_id',
      to: `postgres:places_${suffix}`,
    },
    reviews: {
      call: 'mapsReviews',
      each: 'places',
      with: { data_id: '$.data_id', results: 3 },
      pages: 4,
      keep: { place: '$.title' },
      to: `postgres:reviews_${suffix}`,
    },
  },
});

describe.skipIf(postgresBin === undefined)(`the tables of a flow after ${long ? 'fifty kills' : 'a kill'} each`, () => {
  let folder: string;
  let sandbox: Sandbox;
  let postgres: Postgres;
  let proxy: CuttingProxy;
  let golden: string;
  let runs = 0;
  /** How long an undisturbed run takes. */
  let wholeMs: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-load-kills-'));
    sandbox = await startSandbox({ latencyMs: [5, 15] });
    postgres = await startPostgres();
    proxy = await cuttingProxy(Number(new URL(postgres.url).port));
    await run('golden');
    golden = await rowsOf('golden');
    const from = performance.now();
    await run('again');
    wholeMs = performance.now() - from;
  }, 60_000);
  afterAll(async () => {
    await proxy.close();
    await sandbox.close();
    await postgres.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (name: string, address: string = postgres.url): Promise<FlowSummary> => {
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const destinations = { postgres: postgresDestination(address) };
    const progress$ = runFlow(flowInto(name), { client, outDir: join(folder, name), concurrency: 2, commitMs: 2, destinations });
    return (await lastValueFrom(progress$).finally(() => void client.close())) as FlowSummary;
  };
  const rowsOf = (name: string): Promise<string> =>
    postgres.psql(['places', 'reviews'].map((stage) => `SELECT md5(t::text) FROM ${stage}_${name} t ORDER BY 1;`).join('\n'));

  it('are the same when the flow is killed', async () => {
    for (const [moment, since, ms] of moments.flatMap((one) => [[one, 'start', wholeMs] as const, [one, 'commit', loadMs] as const])) {
      let [name, killed] = ['', false];
      for (let killAfterMs = ms * moment; !killed; killAfterMs /= 2) {
        name = `flow${++runs}`;
        const options = {
          dist: inject('dist'),
          url: sandbox.url,
          apiKey: sandbox.apiKey,
          flow: flowInto(name),
          outDir: join(folder, name),
          postgres: postgres.url,
          killAfterMs,
          since,
        };
        const [, signal] = await once(spawn(process.execPath, [child, JSON.stringify(options)], { stdio: 'ignore' }), 'exit');
        killed = signal === 'SIGKILL'; // or it had ended before
      }
      await run(name);
      expect(await rowsOf(name), name).toBe(golden);
    }
  }, 600_000);

  it('are the same when the database is killed', async () => {
    const ended: string[] = [];
    for (const moment of moments) {
      const name = `database${++runs}`;
      const running = run(name);
      const restarted = sleep(wholeMs * moment).then(() => postgres.killAndRestart());
      ended.push(await running.then(({ outcome }) => outcome, String));
      await restarted;
      if (ended.at(-1) !== 'capped') await run(name);
      expect(await rowsOf(name), name).toBe(golden);
    }
    expect(ended.filter((how) => !expectedEnd.test(how))).toEqual([]);
  }, 600_000);

  const cuts: Cut[] = ['in COPY', 'after COMMIT', 'now', 'delay'];
  it.each(ofTheDay(cuts, 1))(
    'are the same when the connection is cut: %s',
    async (how) => {
      const address = new URL(postgres.url);
      address.port = String(proxy.port);
      const ended: string[] = [];
      const cutAfter = async (ms: number): Promise<void> => {
        const name = `cut${++runs}`;
        const running = run(name, address.href);
        running.catch(() => undefined);
        await sleep(ms);
        proxy.cut(how);
        ended.push(await running.then(({ outcome }) => outcome, String));
        if (ended.at(-1) !== 'capped') await run(name);
        expect(await rowsOf(name), name).toBe(golden);
      };
      for (const moment of long ? moments.filter((_, nth) => nth % 2 === 0) : [1 / 4]) {
        const before = proxy.cuts;
        await cutAfter(wholeMs * moment);
        // Run by a machine that is less busy by now, it may have ended before.
        if (proxy.cuts === before) await cutAfter(0);
        expect(proxy.cuts - before).toBeGreaterThan(0);
      }
      expect(ended.filter((how) => !expectedEnd.test(how))).toEqual([]);
    },
    600_000,
  );
});
