// One client, one crawl to JSONL in a folder that stays: `node crawl/runKilled.mjs CLIENT URL SEARCHES FOLDER OPTIONS`. It may be killed and started again.
import { join } from 'node:path';

const [client, url, searches, folder, options] = process.argv.slice(2);
const { default: crawl } = await import(`./clients/${client}.mjs`);
await crawl({
  url,
  searches: Number(searches),
  concurrency: 16,
  folder,
  out: join(folder, 'reviews.jsonl'),
  format: 'jsonl',
  ...JSON.parse(options),
});
process.exit(0);
