import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/createClient.ts';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { brokers, type TestBroker } from './brokers.ts';
import { rowsIn, spawnMember, type Member } from './crowd.ts';

const long = process.env['TRAWLER_LONG'] === '1';
const kills = long ? 50 : 2;
const restarts = long ? 10 : 1;
const words = 'coffee tea cake bread soup fish rice wine beer milk'.split(' ');
const flow: FlowDefinition = {
  name: long ? 'crowd-long' : 'crowd',
  stages: {
    places: {
      call: 'mapsSearch',
      with: { query: long ? words : words.slice(0, 2), ll: '@40.74,-73.98,14z' },
      pages: 3,
      limit: long ? 60 : 15,
      to: 'places.jsonl',
    },
    reviews: {
      call: 'mapsReviews',
      each: 'places',
      with: { data_id: '$.data_id' },
      keep: { place: '$.title' },
      pages: 3,
      to: ['reviews.jsonl', 'reviews.csv'],
    },
    photos: { call: 'mapsPhotos', each: 'places', with: { data_id: '$.data_id' }, to: 'photos.jsonl' },
  },
};
const files = ['places.jsonl', 'reviews.jsonl', 'reviews.csv', 'photos.jsonl'];
const crowd = long ? 3 : 2;
const slots = 4;

// The other one is tried by moves.test.ts, and tomorrow.
describe.each(ofTheDay(brokers, 1))('a crowd of workers over $broker', ({ broker, start }) => {
  let folder: string;
  let server: TestBroker;
  let sandbox: Sandbox;
  let golden: { readonly [file: string]: readonly string[] };
  let requests: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-crowd-'));
    server = await start();
    await using local = await startSandbox({});
    const client = createClient({ baseUrl: local.url, apiKey: local.apiKey });
    const summary = (await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'golden') }))) as FlowSummary;
    requests = summary.requests;
    golden = rowsIn(join(folder, 'golden'), files);
    await client.close();
    sandbox = await startSandbox({ latencyMs: long ? [200, 600] : [100, 200] });
  });
  afterAll(async () => {
    await sandbox?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it(`leaves the files of a local run, after ${kills} kills and ${restarts + 1} restarts of it`, { timeout: 900_000 }, async () => {
    const random = seededRandom(20);
    const outDir = join(folder, 'out');
    let over = false;
    let killed = 0;
    const worker = (): Member => {
      // Some die at a failpoint by themselves, the others by the hand below.
      const die =
        random() < 0.3 && killed < kills
          ? { at: random() < 0.5 ? 'request' : 'response', count: 1 + Math.floor(random() * 20) }
          : undefined;
      const options = { flow, queue: server.url, baseUrl: sandbox.url, concurrency: slots, lockMs: 1500, die };
      const member = spawnMember('worker', options, sandbox.apiKey);
      void member.exited.then(({ code }) => {
        if (over) return;
        if (code === null) killed += 1;
        workers[workers.indexOf(member)] = worker();
      });
      return member;
    };
    const lead = (): Member => spawnMember('leader', { flow, queue: server.url, outDir });
    const workers: Member[] = [];
    for (let i = 0; i < crowd; i++) workers.push(worker());
    let leader = lead();
    let last = leader.exited;
    const ended = (async (): Promise<FlowSummary> => {
      for (;;) {
        last = leader.exited;
        const { code, out, err } = await last;
        if (code === 0) return JSON.parse(out) as FlowSummary;
        if (code !== null) throw new Error(err);
        killed += 1;
        leader = lead();
      }
    })();
    let restarted = 0;
    let forgot = false;
    const between = long ? 1600 : 900;
    const done = ended.then(() => (over = true));
    while (!over && (killed < kills || restarted < restarts || !forgot)) {
      await Promise.race([new Promise((resolve) => setTimeout(resolve, between * (0.5 + random()))), done]);
      if (over) break;
      if (killed < kills) {
        const victim = random() < 0.25 ? leader : workers[Math.floor(random() * crowd)]!;
        victim.child.kill('SIGKILL');
        await victim.exited;
      }
      if (restarted < restarts && killed >= ((restarted + 1) * kills) / (restarts + 2)) {
        restarted += 1;
        await server.restart();
      }
      if (!forgot && killed >= kills - 1) {
        forgot = true;
        await server.restart('forget');
      }
    }
    const summary = await ended;
    over = true;
    for (const worker of workers) await worker.said('started'); // before that, a signal ends it without a code
    for (const { child } of workers) child.kill('SIGTERM');
    const exits = await Promise.all(workers.map(({ exited }) => exited));
    expect({ killed: killed >= kills, restarted, forgot }).toEqual({ killed: true, restarted: restarts, forgot: true });
    expect(summary.outcome).toBe('capped');
    expect(rowsIn(outDir, files)).toEqual(golden);
    expect(exits.map(({ code }) => code)).toEqual(workers.map(() => 0));
    // What was under way when something died may be asked for again, and nothing else.
    expect(sandbox.count()).toBeLessThan(requests + (killed + restarts + 1) * 3 * slots);
    if (long)
      process.stdout.write(`${broker}: ${killed} kills, ${restarts + 1} restarts: ${requests} requests became ${sandbox.count()}\n`);
  });
});

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
