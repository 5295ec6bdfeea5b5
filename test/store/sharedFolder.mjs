// One of several processes that use one folder: stores its own responses and those that all want, reads what is there,
// and prints what it stored safely. Arguments: the store's door, the folder, this process's number, responses, milliseconds.
import { gzipSync } from 'node:zlib';

const [door, folder, number, count, ms] = process.argv.slice(2);
const { openStore } = await import(door);
const requestOf = (id) => ({ service: 'test', operation: 'search', query: `id=${id}`, url: `https://api.example.com/search?id=${id}` });
const responseOf = (id) => ({ status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync(`{"id":"${id}"}`) });

const store = openStore(folder, { segmentBytes: 50_000 });
const wrong = [];
let hits = 0;
const until = performance.now() + Number(ms);
let id = 0;
for (; id < Number(count) || performance.now() < until; id++) {
  for (const name of [`${number} ${id}`, `all ${id}`, `${id % 8} ${Math.floor(id / 2)}`]) {
    const found = store.find(requestOf(name));
    if (found.damage !== undefined) wrong.push(found.damage);
    if (found.kind === 'hit') {
      hits++;
      if (!found.response.body.equals(responseOf(name).body)) wrong.push(`${name} is another response`);
    } else if (!name.startsWith(`${id % 8} `) || String(id % 8) === number) {
      store.keep(requestOf(name), responseOf(name));
    }
  }
  if (id % 50 !== 49) continue;
  await store.sync();
  console.log(JSON.stringify({ stored: id + 1, hits, wrong }));
}
await store.close();
console.log(JSON.stringify({ stored: id, hits, wrong }));
