// The same as a flow with its journal.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { defineFlow, runFlow } from 'trawler/flow';
import { writeSeeds } from '../writeSeeds.mjs';

export default async function seedsFlow({ url, searches, concurrency, folder, out }) {
  const client = createClient({ baseUrl: url, apiKey: 'key', concurrency });
  const definition = defineFlow({
    name: 'seeds',
    stages: { suggestions: { call: 'autocomplete', each: writeSeeds(folder, searches), with: { query: '$.query' }, to: 'rows.jsonl' } },
  });
  const outDir = join(folder, 'out');
  const summary = await lastValueFrom(runFlow(definition, { client, outDir, concurrency }));
  renameSync(join(outDir, 'rows.jsonl'), out);
  const { requests } = client.stats();
  await client.close();
  return { pages: requests, rows: summary.stages[0].rows };
}
