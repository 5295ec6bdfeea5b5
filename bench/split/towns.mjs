// Memory of a flow that covers 200 towns, each with its own polygon. `node --expose-gc split/towns.mjs`
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, tap } from 'rxjs';
import { runFlow } from '../../dist/src/flow/index.js';
import { createClient } from '../../dist/src/index.js';
import { startSandbox } from '../../dist/src/sandbox/index.js';
import { World } from '../../dist/src/sandbox/world/World.js';

const within = [5, 42, 20, 55];
const map = { within, places: 20_000 };
const world = new World({ seed: 'trawler', now: () => 0, map });
const folder = mkdtempSync(join(tmpdir(), 'trawler-towns-'));
const ring = ({ latitude: y, longitude: x }) => [[x - 0.1, y - 0.07], [x + 0.1, y - 0.07], [x + 0.12, y + 0.07], [x - 0.1, y + 0.07], [x - 0.1, y - 0.07]]; // prettier-ignore
const towns = world.geography.towns.slice(0, 200);
const seeds = towns.map((town) => JSON.stringify({ town: town.name, area: { type: 'Polygon', coordinates: [ring(town)] } }));
writeFileSync(join(folder, 'towns.jsonl'), seeds.join('\n'));
const sandbox = await startSandbox({ map, logLimit: 0 });
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
const each = join(folder, 'towns.jsonl');
const places = { call: 'mapsSearch', each, with: { query: 'coffee' }, cover: { within: '$.area' }, to: 'places.jsonl' };
const heaps = [];
let commits = 0;
const heard = (event) => {
  if (event.type !== 'commit' || ++commits % 3 !== 0) return;
  globalThis.gc();
  heaps.push(Math.round(process.memoryUsage().heapUsed / 2 ** 20));
};
const flow = { name: 'towns', stages: { places } };
const summary = await lastValueFrom(runFlow(flow, { client, outDir: join(folder, 'out'), commitMs: 100 }).pipe(tap(heard)));
console.log(`${towns.length} towns, ${summary.requests} requests, ${summary.stages[0].rows} places, ${summary.outcome}`);
console.log(`heap in MiB, every three commits: ${heaps.join(' ')}`);
await client.close();
await sandbox.close();
rmSync(folder, { recursive: true, force: true });
