// Opens a store of many entries and prints what that took: `node --expose-gc store/openMany.mjs FOLDER ENTRIES`. Makes it when it isn't there.
import { existsSync } from 'node:fs';
import { openStore } from 'trawler/store';

const [folder, count] = process.argv.slice(2);
const entries = Number(count);
const requestOf = (id) => ({
  service: 'bench',
  operation: `operation${id % 21}`,
  query: `id=${id}`,
  url: `https://api.example.com/?id=${id}`,
});
if (!existsSync(folder)) {
  const store = openStore(folder, { mode: 'record' });
  for (let id = 0; id < entries; id++) {
    store.keep(requestOf(id), { status: 200, headers: { 'content-encoding': 'x' }, body: Buffer.from(`{"id":${id}}`) });
    if (id % 20_000 === 0) await store.sync();
  }
  await store.close();
}
globalThis.gc();
const heap = process.memoryUsage().heapUsed;
const before = process.cpuUsage();
const start = performance.now();
const store = openStore(folder);
const wallMs = performance.now() - start;
const { user, system } = process.cpuUsage(before);
if (store.size !== entries) throw new Error(`${store.size} entries instead of ${entries}`);
globalThis.gc();
const bytesOfEntry = (process.memoryUsage().heapUsed - heap) / entries;

const lookups = 20_000;
const beforeFinds = process.cpuUsage();
for (let n = 0; n < lookups; n++) {
  if (store.find(requestOf((n * 7919) % entries)).kind !== 'hit') throw new Error('a response is missing');
}
const finds = process.cpuUsage(beforeFinds);
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, bytesOfEntry, findUs: (finds.user + finds.system) / lookups }));
process.exit(0);
