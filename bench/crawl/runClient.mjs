// One client, one crawl, one process: `node crawl/runClient.mjs CLIENT FORMAT URL SEARCHES CONCURRENCY [OPTIONS]` prints its
// figures as JSON, `all…` with start-up. OPTIONS is JSON: { diskMbPerSecond, validate, store, expect }.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [client, format, url, searches, concurrency, options = '{}'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'trawler-bench-'));
const out = join(folder, `reviews.${format}`);
try {
  const { default: crawl } = await import(`./clients/${client}.mjs`);
  const before = process.cpuUsage();
  const start = performance.now();
  const { pages, rows } = await crawl({
    url,
    searches: Number(searches),
    concurrency: Number(concurrency),
    folder,
    out,
    format,
    ...JSON.parse(options),
  });
  const wallMs = performance.now() - start;
  const all = process.cpuUsage();
  const allWallMs = performance.now();
  let bytes = 0;
  try {
    bytes = statSync(out).size;
  } catch {
    // The client that only moves bytes writes no file.
  }
  const allCpuMs = (all.user + all.system) / 1000;
  const cpuMs = allCpuMs - (before.user + before.system) / 1000;
  const rssMb = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ pages, rows, bytes, wallMs, cpuMs, allWallMs, allCpuMs, rssMb }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
