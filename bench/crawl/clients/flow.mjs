// trawler as a flow, with its journal: it can be killed at any moment and goes on.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { defineFlow, runFlow } from 'trawler/flow';
import { openStore } from 'trawler/store';
import { slowFileSystem } from '../slowDisk.mjs';

export default async function flow({ url, searches, concurrency, folder, out, format, diskMbPerSecond, store, expect, dispatcher }) {
  const disk = diskMbPerSecond === undefined ? {} : { fileSystem: slowFileSystem(diskMbPerSecond) };
  const responses = store === undefined ? undefined : openStore(store.folder ?? join(folder, 'responses'), { mode: store.mode });
  const client = createClient({ baseUrl: url, apiKey: 'bench-key-7b1c0c0e57a54c3c9a550f6f', concurrency, store: responses, dispatcher });
  const definition = defineFlow({
    name: 'bench',
    stages: {
      places: {
        call: 'mapsSearch',
        with: { query: Array.from({ length: searches }, (_, i) => `coffee ${i}`), ll: '@40.74,-73.98,14z' },
        pages: 5,
      },
      reviews: {
        call: 'mapsReviews',
        each: 'places',
        with: { data_id: '$.data_id' },
        pages: 'all',
        to: `rows.${format}`,
        ...(expect && { expect }),
      },
    },
  });
  const outDir = join(folder, 'out');
  const summary = await lastValueFrom(runFlow(definition, { client, outDir, concurrency: 2 * concurrency, ...disk }));
  renameSync(join(outDir, `rows.${format}`), out);
  const { requests, hits } = client.stats();
  await client.close();
  await responses?.close();
  return { pages: requests + hits, rows: summary.stages.find(({ name }) => name === 'reviews').rows };
}
