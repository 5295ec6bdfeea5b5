import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { openStore } from '../../src/store/index.ts';
import { eventsOf, outcome, testClient, until } from '../client/testClient.ts';
import { reply, startServer } from '../client/startServer.ts';

const flow: FlowDefinition = {
  name: 'shared',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 2, to: 'places.jsonl' },
    reviews: { call: 'placeReviews', each: 'places', pages: 2, to: 'reviews.jsonl' },
    photos: { call: 'placePhotos', each: 'places', pages: 2, to: 'photos.jsonl' },
  },
};
const child = fileURLToPath(new URL('sharedRun.mjs', import.meta.url));

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'store-runs-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The rows of a run, in one order. */
function rowsOf(out: string): string {
  return ['places', 'reviews', 'photos']
    .map((name) =>
      readFileSync(join(folder, out, `${name}.jsonl`), 'utf8')
        .split('\n')
        .sort()
        .join('\n'),
    )
    .join('\n');
}

async function runHere(sandbox: Sandbox, out: string): Promise<void> {
  await using store = openStore(join(folder, 'store'));
  await using client = testClient(sandbox.url, { apiKey: sandbox.apiKey, store });
  await lastValueFrom(runFlow(flow, { client, outDir: join(folder, out) }));
}

async function runInProcess(sandbox: Sandbox, out: string): Promise<void> {
  const options = {
    dist: inject('dist'),
    url: sandbox.url,
    apiKey: sandbox.apiKey,
    flow,
    outDir: join(folder, out),
    folder: join(folder, 'store'),
  };
  const running = spawn(process.execPath, [child, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve) => running.once('close', resolve));
}

async function alone(): Promise<{ readonly requests: number; readonly rows: string }> {
  await using sandbox = await startSandbox({});
  await runHere(sandbox, 'alone');
  rmSync(join(folder, 'store'), { recursive: true });
  return { requests: sandbox.count(), rows: rowsOf('alone') };
}

describe('two runs at once with one store', () => {
  let expected: Awaited<ReturnType<typeof alone>> | undefined;
  it.each([
    ['in one process', runHere],
    ['in two processes', runInProcess],
  ])('have the same rows, and take what the other one has stored (%s)', async (_, runOne) => {
    const { requests, rows } = (expected ??= await alone());
    expect(requests).toBeGreaterThan(60);
    await using sandbox = await startSandbox({ latencyMs: [20, 80] });
    const one = runOne(sandbox, 'one');
    await until(() => sandbox.count() > requests / 2);
    await Promise.all([one, runHere(sandbox, 'two')]);
    expect(rowsOf('one') === rows).toBe(true);
    expect(rowsOf('two') === rows).toBe(true);
    expect(sandbox.count() / requests).toBeLessThan(1.75); // from then on both may send the same request at the same moment
    expect(readdirSync(join(folder, 'store')).filter((name) => name.includes('writing'))).toEqual([]);
  });
});

describe('a store whose files are removed while it is open', () => {
  it.each(['the segment', 'the folder'])('goes on in a new segment, and says so (%s)', async (what) => {
    await using server = await startServer((_, response) => reply(response, { reviews_results: [{ snippet: 'x' }] }));
    const store = openStore(join(folder, 'store'), { syncMs: 10 });
    await using client = testClient(server.url, { store });
    const events = eventsOf(client);
    await outcome(client.mapsReviews({ data_id: 'before' }));
    await store.sync();
    if (what === 'the folder') rmSync(join(folder, 'store'), { recursive: true });
    else rmSync(join(folder, 'store', '000001.warc.gz'));
    await outcome(client.mapsReviews({ data_id: 'after' }));
    await store.sync();
    await outcome(client.mapsReviews({ data_id: 'last' }));
    await store.close();
    const again = openStore(join(folder, 'store'), { mode: 'replay' });
    await using replayed = testClient(server.url, { store: again });
    expect((await outcome(replayed.mapsReviews({ data_id: 'after' }))).values).toHaveLength(1);
    expect((await outcome(replayed.mapsReviews({ data_id: 'last' }))).values).toHaveLength(1);
    await again.close();
    await until(() => events.some(({ type }) => type === 'store'));
    const messages = events.flatMap((event) => (event.type === 'store' ? [event.message] : []));
    expect(messages).toEqual([expect.stringMatching(/000001\.warc\.gz is gone: .* requested again/)]);
  });
});
