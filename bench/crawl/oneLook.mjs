// CPU, memory, requests wasted and rows lost by a kill, for trawler and its peers: one table and one picture.
// `node crawl/oneLook.mjs [--rounds 3] [--searches 10] [--write]`
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writePanels, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';
import { killed, pagesOf } from './killed.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    searches: { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
});
const clients = [
  { name: 'floor', label: 'a loop by hand' },
  { name: 'pipes', label: 'trawler, pipes', ours: true },
  { name: 'stored', client: 'pipes', label: 'trawler, pipes with a store', options: { store: { mode: 'reuse' } }, ours: true },
  { name: 'flow', label: 'trawler, a flow', ours: true },
  { name: 'rxjsFirst', label: 'RxJS as first written' },
  { name: 'gotPaginate', label: 'got.paginate' },
  { name: 'axiosPLimit', label: 'axios + p-limit' },
  { name: 'fetchPQueue', label: 'fetch + p-queue' },
  { name: 'crawlee', label: 'Crawlee' },
];
const count = Number(values.rounds);
const searches = Number(values.searches);

const service = await startService();
const runner = fileURLToPath(new URL('./runClient.mjs', import.meta.url));
const crawls = await rounds(
  clients.map(({ name, client = name, options = {} }) => ({
    name,
    command: [process.execPath, runner, client, 'jsonl', service.url, values.searches, '16', JSON.stringify(options)],
  })),
  { count },
);
service.stop();
const kills = new Map();
for (const { name, client = name, options } of clients) {
  kills.set(name, []);
  for (let round = 0; round < count; round++) kills.get(name).push(await killed(client, searches, options));
}

const cpuOf = ({ cpuMs, pages }) => cpuMs / pages;
const rows = clients.map(({ name, label, ours }) => ({
  label,
  ours,
  cpu: ratio(crawls.get(name), crawls.get('floor'), cpuOf).median,
  memory: median(crawls.get(name).map(({ rssMb }) => rssMb)),
  wasted: 100 * median(kills.get(name).map(({ wasted }) => wasted)),
  lost: 100 * median(kills.get(name).map(({ lost }) => lost)),
  missing: Math.max(...kills.get(name).map(({ missing }) => missing)),
}));
const percent = (value) => `${value.toFixed(value < 10 ? 1 : 0)} %`;
const text = table(
  ['JSONL', 'CPU × the loop', 'peak MB', 'requests wasted', 'rows lost', 'rows missing in the end'],
  rows.map(({ label, cpu, memory, wasted, lost, missing }) => [
    label,
    cpu.toFixed(2),
    Math.round(memory),
    percent(wasted),
    percent(lost),
    missing,
  ]),
);
console.log(text);
if (values.write) {
  writePanels('one-look', 'A crawl, and the same one killed half-way and started again', [
    { title: 'CPU, × a loop by hand', bars: rows.map(({ cpu, ...row }) => ({ ...row, value: cpu })) },
    { title: 'peak memory, MB', bars: rows.map(({ memory, ...row }) => ({ ...row, value: memory, note: String(Math.round(memory)) })) },
    { title: 'requests wasted by the kill', bars: rows.map(({ wasted, ...row }) => ({ ...row, value: wasted, note: percent(wasted) })) },
    { title: 'rows lost by the kill', bars: rows.map(({ lost, ...row }) => ({ ...row, value: lost, note: percent(lost) })) },
  ]);
  const pages = pagesOf(searches).toLocaleString('en');
  writeSection(
    'one look',
    `${setting('node bench/crawl/oneLook.mjs --write')} ${values.rounds} rounds, medians; ${pages} pages of 26 kB, 16 in flight. For the last three columns, each response takes 10 ms, and the process is killed when half of the pages were sent.\n\n![CPU, memory, requests wasted and rows lost](plots/one-look.svg)\n\n${text}`,
  );
}
