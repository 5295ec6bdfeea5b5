import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { leadFlow as lead, startWorker } from '../../src/bullmq/index.ts';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { hasRedis, startRedis } from '../bullmq/startRedis.ts';
import { runWhole } from './runWhole.ts';

const flow: FlowDefinition = {
  name: 'cover',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee' }, cover: { within: [13, 52.3, 13.8, 52.7] }, to: 'places.jsonl' },
    reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id', results: 1 }, to: 'reviews.jsonl' },
  },
}; // prettier-ignore
const child = fileURLToPath(new URL('crashChild.mjs', import.meta.url));
const long = process.env['TRAWLER_LONG'] === '1';
const kills = long ? 50 : 3;

let folder: string;
let sandbox: Sandbox;
let golden: readonly string[];
/** Of the disk, in a run that nobody kills. */
let operations: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawler-split-kill-'));
  sandbox = await startSandbox({ map: { within: [12, 51.5, 15, 53.5], places: 700 } });
  operations = (await runWhole(flow, sandbox, join(folder, 'golden'))).done.length;
  golden = rowsIn('golden');
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

const rowsIn = (out: string): string[] =>
  ['places.jsonl', 'reviews.jsonl'].flatMap((file) =>
    readFileSync(join(folder, out, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => withoutRank(line))
      .toSorted(),
  );
/** Which tile brings a place that lies at the edge of two depends on which came first. */
const withoutRank = (line: string): string => line.replace(/,"rank":\d+/, '');

async function recover(out: string): Promise<FlowSummary> {
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  const summary = await lastValueFrom(runFlow(flow, { client, outDir: join(folder, out) }));
  await client.close();
  return summary as FlowSummary;
}

/** Runs the flow in a process of its own, which kills itself, if it doesn't come to its end before. */
async function crash(out: string, failAt: number): Promise<boolean> {
  const options = {
    dist: inject('dist'),
    url: sandbox.url,
    apiKey: sandbox.apiKey,
    flow,
    outDir: join(folder, out),
    failAt,
    torn: failAt % 2 === 0,
  };
  const process_ = spawn(process.execPath, [child, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal] = (await once(process_, 'close')) as [number | null, string | null];
  expect([0, null]).toContain(code);
  return signal === 'SIGKILL';
}

describe('a flow that covers an area', { timeout: 600_000 }, () => {
  it(`has the same places after SIGKILL at ${long ? 'fifty moments' : 'a moment of the day'}`, async () => {
    for (const index of ofTheDay([...Array(kills).keys()], 1)) {
      const out = `killed-${index}`;
      let failAt = 2 + Math.floor((operations * 0.9 * index) / kills);
      // how many operations there are depends on what was committed together, so the last ones may not come
      for (; !(await crash(out, failAt)); failAt >>= 1) await rm(join(folder, out), { recursive: true });
      await recover(out);
      expect(rowsIn(out), `killed at ${failAt} of ${operations}`).toEqual(golden);
    }
  });

  it.skipIf(!hasRedis())('has the same places over BullMQ', async () => {
    const redis = await startRedis();
    const clients = [1, 2, 3].map(() => createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey }));
    const workers = await Promise.all(clients.slice(1).map((client) => startWorker(flow, { client, queue: redis.url })));
    try {
      const outDir = join(folder, 'queue');
      await lastValueFrom(lead(flow, { queue: redis.url, outDir }));
      expect(rowsIn('queue')).toEqual(golden);
    } finally {
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(clients.map((client) => client.close()));
      await redis.close();
    }
  });
});
