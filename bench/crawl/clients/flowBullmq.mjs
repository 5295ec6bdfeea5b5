// The flow led from here with its requests made by a BullMQ worker. Leader and worker are in this process, so that both
// count; Redis isn't, and doesn't.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { leadFlow, startWorker } from 'trawler/bullmq';
import { startRedis } from '../../bullmq/startRedis.mjs';

export default async function flowBullmq({ url, searches, concurrency, folder, out, format }) {
  const redis = await startRedis();
  const flow = {
    name: 'bench',
    stages: {
      places: {
        call: 'mapsSearch',
        with: { query: Array.from({ length: searches }, (_, i) => `coffee ${i}`), ll: '@40.74,-73.98,14z' },
        pages: 5,
      },
      reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, pages: 'all', to: `rows.${format}` },
    },
  };
  const client = createClient({ baseUrl: url, apiKey: 'key', concurrency });
  const worker = await startWorker(flow, { client, queue: redis.url });
  const outDir = join(folder, 'out');
  const summary = await lastValueFrom(leadFlow(flow, { queue: redis.url, outDir, rate: 'unlimited' }));
  renameSync(join(outDir, `rows.${format}`), out);
  await worker.close();
  await client.close();
  await redis.close();
  return { pages: summary.requests, rows: summary.stages.find(({ name }) => name === 'reviews').rows };
}
