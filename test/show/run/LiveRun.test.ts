import { lastValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { LiveRun } from '../../../src/show/run/LiveRun.ts';
import { fakeClient } from '../../../src/testing/fakeClient.ts';
import { searchService } from '../../../src/search/index.ts';
import { stageProgress } from '../../flow/report/stageProgress.ts';

it('knows how many requests a second are sent before anybody opens the page', async () => {
  const { client } = fakeClient(searchService, () => ({ search_results: [] }));
  const run = new LiveRun({ flow: 'coffee', folder: 'out', clients: [client], maxRequests: undefined, command: 'trawler run coffee.json' });
  const at = Date.now() - 2000;
  run.take({ type: 'start', at, name: 'coffee', outDir: 'out', resumed: false, began: at, stages: [stageProgress('places')] });
  run.take({ type: 'progress', at, stages: [stageProgress('places')], client: client.stats() });
  for (const query of ['a', 'b', 'c', 'd']) await lastValueFrom(client.mapsSearch({ query }));
  const { perSecond } = run.state('r').live!;
  expect(perSecond).toBeGreaterThan(0.1);
  expect(perSecond).toBeLessThanOrEqual(2);
  run.close();
  await client.close();
});
