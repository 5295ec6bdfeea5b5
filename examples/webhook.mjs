// Reviews to a webhook in signed batches, each exactly once: a destination of one's own. The receiver remembers the position of
// the last batch with its rows, so a run that was killed continues there, and a batch that is sent twice counts once.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { createClient, NetworkError, SinkError } from 'trawler';
import { runFlow } from 'trawler/flow';
import { startSandbox } from 'trawler/sandbox';

const secret = 'shared with the receiver';
const sign = (text) => createHmac('sha256', secret).update(text).digest('hex');

/** Where `webhook:reviews` goes: to `url/reviews`. */
function webhook(url) {
  const send = async (name, body) => {
    const post = body === undefined ? {} : { method: 'POST', headers: { 'x-signature': sign(body) }, body };
    const response = await fetch(`${url}/${name}`, post).catch(({ message }) => {
      throw new NetworkError(`the webhook is away: ${message}`); // tried again
    });
    if (response.status >= 500) throw new NetworkError(`the webhook says ${response.status}`);
    if (!response.ok) throw new SinkError(`the webhook refuses: ${response.status}`); // ends the run
    return response.json();
  };
  return {
    async open({ name, run }) {
      let rows = [];
      return {
        recover: async () => (await send(`${name}?run=${run}`)).position,
        load: (lines) => ((rows = lines.map((line) => JSON.parse(line))), Promise.resolve({ rejected: [] })),
        commit: (position) => send(name, JSON.stringify({ run, position, rows })),
        close: () => Promise.resolve(),
      };
    },
  };
}

/** The receiver: rows and position of each run, both or neither. Every third answer is lost after it has taken the batch. */
const runs = new Map();
let batches = 0;
const receive = async (request, response) => {
  const body = (await request.toArray()).join('');
  if (request.method === 'GET') return response.end(JSON.stringify(runs.get(request.url.split('run=')[1]) ?? {}));
  if (request.headers['x-signature'] !== sign(body)) return response.writeHead(401).end();
  const { run, position, rows } = JSON.parse(body);
  runs.set(run, { position, count: (runs.get(run)?.count ?? 0) + rows.length });
  return (batches += 1) % 3 === 0 ? response.destroy() : response.end('{}');
};
const receiver = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1');

const sandbox = await startSandbox();
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
const reviews = { call: 'mapsReviews', with: { data_id: ['0x1:0x1', '0x2:0x2'] }, pages: 3, to: 'webhook:reviews' };
const destinations = { webhook: webhook(`http://127.0.0.1:${receiver.address().port}`) };
const outDir = await mkdtemp(join(tmpdir(), 'webhook-'));
const summary = await lastValueFrom(runFlow({ name: 'hooked', stages: { reviews } }, { client, outDir, destinations, commitMs: 0 }));
console.log(`${[...runs.values()][0].count === summary.stages[0].rows ? 'each of the rows' : 'not all rows'} arrived once`);
await client.close();
await sandbox.close();
await rm(outDir, { recursive: true });
receiver.close();

/* prints
each of the rows arrived once
*/
