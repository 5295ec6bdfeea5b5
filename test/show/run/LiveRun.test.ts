import { lastValueFrom, tap } from 'rxjs';
import { expect, it } from 'vitest';
import { runFlow, type FlowDefinition, type FlowSummary } from '../../../src/flow/index.ts';
import { LiveRun } from '../../../src/show/run/LiveRun.ts';
import { failWith, fakeClient } from '../../../src/testing/fakeClient.ts';
import { searchService } from '../../../src/search/index.ts';
import { MemoryDisk } from '../../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../../disk/MemoryFileSystem.ts';
import { stageProgress } from '../../flow/report/stageProgress.ts';

it('knows how many requests a second are sent before anybody opens the page', async () => {
  const { client } = fakeClient(searchService, () => ({ search_results: [] }));
  const run = new LiveRun({ flow: 'coffee', folder: 'out', clients: [client], maxRequests: undefined, command: 'trawler run coffee.json' });
  const at = Date.now() - 2000;
  run.take({
    type: 'start',
    at,
    name: 'coffee',
    outDir: 'out',
    resumed: false,
    began: at,
    stages: [stageProgress('places')],
    client: client.stats(),
  });
  run.take({ type: 'progress', at, stages: [stageProgress('places')], client: client.stats() });
  for (const query of ['a', 'b', 'c', 'd']) await lastValueFrom(client.mapsSearch({ query }));
  run.take({ type: 'progress', at: Date.now(), stages: [stageProgress('places')], client: client.stats() });
  const { perSecond } = run.state('r').live!;
  expect(perSecond).toBeGreaterThan(0.1);
  expect(perSecond).toBeLessThanOrEqual(2);
  run.close();
  await client.close();
});

it('counts the requests and the failed attempts of the run that it shows, and none of the runs before it', async () => {
  let asked = 0;
  const { client } = fakeClient(searchService, () => {
    if (++asked === 1) throw failWith(503);
    return { search_results: [] };
  });
  const run = new LiveRun({
    flow: 'coffee',
    folder: '/out',
    clients: [client],
    maxRequests: undefined,
    command: 'trawler run coffee.json',
  });
  const query = ['a', 'b', 'c', 'd', 'e'];
  const flow: FlowDefinition = { name: 'coffee', stages: { places: { call: 'mapsSearch', with: { query }, to: 'places.jsonl' } } };
  const fileSystem = new MemoryFileSystem(new MemoryDisk());
  const shown: { requests: number; failedAttempts: number; summary: FlowSummary }[] = [];
  for (const maxRequests of [4, undefined]) {
    let latest = { requests: 0, failedAttempts: 0 };
    const running = runFlow(flow, { client, outDir: '/out', fileSystem, maxRequests }).pipe(
      tap((progress) => {
        run.take(progress);
        const { requests, live } = run.state('');
        if (progress.type !== 'summary') latest = { requests, failedAttempts: live!.stats.failedAttempts.length };
      }),
    );
    const summary = (await lastValueFrom(running)) as FlowSummary;
    shown.push({ ...latest, summary });
  }
  expect(shown.map(({ requests, failedAttempts, summary }) => [requests, summary.requests, failedAttempts])).toEqual([
    [4, 4, 1],
    [2, 2, 0],
  ]);
  run.close();
  await client.close();
});
