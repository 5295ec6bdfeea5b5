// The same flow over BullMQ: leader and worker share this process, Redis has one of its own.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { runFlow, startWorker } from 'trawler/bullmq';
import { defineFlow } from 'trawler/flow';
import { startRedis } from '../../bullmq/startRedis.mjs';

export default async function flowBullmq({ url, searches, concurrency, folder, out, format }) {
  const redis = await startRedis();
  const queue = redis.url;
  const client = createClient({ baseUrl: url, apiKey: 'key', concurrency });
  const definition = defineFlow({
    name: 'bench',
    stages: {
      places: { call: 'mapsSearch', with: { query: Array.from({ length: searches }, (_, i) => `coffee ${i}`) }, pages: 5 },
      reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, pages: 'all', to: `rows.${format}` },
    },
  });
  const worker = await startWorker(definition, { client, queue });
  const outDir = join(folder, 'out');
  const summary = await lastValueFrom(runFlow(definition, { queue, outDir }));
  renameSync(join(outDir, `rows.${format}`), out);
  await worker.close();
  await client.close();
  await redis.close();
  return { pages: summary.requests, rows: summary.stages.find(({ stage }) => stage === 'reviews').rows };
}
