// Kills a crawl with SIGKILL when the service has sent half of its pages, and starts it again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placesPerPage, responder, reviewPages, searchPages } from '../service/responses.mjs';

const runner = fileURLToPath(new URL('./runKilled.mjs', import.meta.url));
const rowsPerPage = 20;
const latencyMs = 10;

/** The pages of a crawl. */
export const pagesOf = (searches) => searches * searchPages * (1 + placesPerPage * reviewPages);

/**
 * `wasted`: the requests that both runs sent beyond one for each page, as a share of the pages. `lost`: the share of the rows sent before the
 * kill that are in no file after it. `missing`: rows that aren't in the file in the end.
 */
export async function killed(client, searches, options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'trawler-bench-'));
  const pages = pagesOf(searches);
  const service = await countingService();
  const start = () =>
    spawn(process.execPath, [runner, client, service.url, String(searches), folder, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  try {
    const first = start();
    await service.sentPages(pages / 2);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const kept = rowsIn(folder);
    const lost = [...service.rows].filter((id) => !kept.has(id)).length / service.rows.size;
    const [code] = await once(start(), 'exit');
    if (code !== 0) throw new Error(`${client} ended with ${code} after a kill`);
    const all = searches * searchPages * placesPerPage * reviewPages * rowsPerPage;
    return { wasted: service.requests / pages - 1, lost, missing: all - rowsIn(folder, 'reviews.jsonl').size };
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A service whose rows differ, which notes what it has sent. */
async function countingService() {
  const respond = responder({ rows: rowsPerPage });
  const rows = new Set();
  let [requests, sent, wanted, reached] = [0, 0, Infinity, () => {}];
  const server = createServer((request, response) => {
    requests += 1;
    const query = new URL(request.url, 'http://bench').searchParams;
    const own = `${query.get('data_id')}/${query.get('next_page_token') ?? ''}/`;
    const bytes = respond(request.url);
    const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4).toString().replaceAll('"review_id":"review-', `"review_id":"${own}`); // prettier-ignore
    setTimeout(() => {
      response.setHeader('content-type', 'application/json');
      response.end(body, () => {
        for (const id of idsIn(body)) rows.add(id);
        sent += 1;
        if (sent >= wanted) reached();
      });
    }, latencyMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    rows,
    get requests() {
      return requests;
    },
    sentPages: (count) => new Promise((resolve) => ([wanted, reached] = [count, resolve])),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The ids of the rows in the files of a folder. `only`: in this one. */
function rowsIn(folder, only) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => (only === undefined ? isOfRows(name) : name === only));
  return new Set(names.flatMap((name) => idsIn(readFileSync(join(folder, name), 'utf8'))));
}

/** Files of rows, whole or not yet. */
const isOfRows = (name) => /(reviews|rows)\.jsonl/.test(name);

const idsIn = (text) => [...text.matchAll(/"review_id":"([^"]+)"/g)].map(([, id]) => id);
