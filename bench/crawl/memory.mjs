// Peak memory of a crawl of 102,000 rows, of one of 1,002,000, and of one into a disk that takes 4 MB a second.
// `node crawl/memory.mjs [--rounds 1] [--few 17] [--many 167] [--slow 17] [--write]` (searches; 6,000 rows each)
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writePlot, writeSection } from '../harness/report.mjs';
import { median, rounds } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    few: { type: 'string', default: '17' },
    many: { type: 'string', default: '167' },
    slow: { type: 'string', default: '17' },
    write: { type: 'boolean', default: false },
  },
});
const clients = {
  floor: 'floor: a loop by hand',
  pipes: 'trawler, pipes',
  flow: 'trawler, a flow with its journal',
  fetchPLimit: 'fetch + p-limit',
  rxjsFirst: 'RxJS as first written',
};
const ours = ['pipes', 'flow'];
const measured = [
  { key: 'few', format: 'jsonl', of: Object.keys(clients) },
  { key: 'many', format: 'jsonl', of: ['floor', ...ours] },
  { key: 'fewCsv', searches: 'few', format: 'csv', of: ['floor', ...ours] },
  { key: 'manyCsv', searches: 'many', format: 'csv', of: ['floor', ...ours] },
  { key: 'slow', format: 'jsonl', of: Object.keys(clients), options: { diskMbPerSecond: 4 } },
];
const service = await startService();
const peaks = new Map(Object.keys(clients).map((name) => [name, {}]));
try {
  const runner = fileURLToPath(new URL('./runClient.mjs', import.meta.url));
  for (const { key, searches = key, format, of, options = {} } of measured) {
    const contenders = of.map((name) => ({
      name,
      command: [process.execPath, runner, name, format, service.url, values[searches], '16', JSON.stringify(options)],
    }));
    const results = await rounds(contenders, { count: Number(values.rounds), warmup: 0 });
    for (const [name, own] of results) peaks.get(name)[key] = Math.round(median(own.map(({ rssMb }) => rssMb)));
  }
} finally {
  service.stop();
}
const count = (searches) => `${(Number(searches) * 6).toLocaleString('en')},000 rows`;
const beside = (few, many) => (many === undefined ? '' : `${many} (×${(many / few).toFixed(2)})`);
const rows = [...peaks].map(([name, { few, many, fewCsv, manyCsv, slow }]) => [
  clients[name],
  few,
  beside(few, many),
  fewCsv ?? '',
  beside(fewCsv, manyCsv),
  slow,
]);
const text = table(
  [
    'peak memory, MB',
    `JSONL, ${count(values.few)}`,
    count(values.many),
    `CSV, ${count(values.few)}`,
    count(values.many),
    `JSONL, disk of 4 MB/s, ${count(values.slow)}`,
  ],
  rows,
);
console.log(text);
if (values.write) {
  const bars = [...peaks].flatMap(([name, { few, many, slow }]) =>
    [
      ['few', few],
      ['many', many],
      ['slow', slow],
    ]
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => ({
        label: `${clients[name].slice(0, 20)}, ${key === 'slow' ? '4 MB/s' : count(values[key])}`,
        ours: ours.includes(name),
        value,
        note: `${value} MB`,
      })),
  );
  writePlot('memory', 'Peak memory of a crawl to JSONL, MB', bars);
  writeSection(
    'memory',
    `${setting('node bench/crawl/memory.mjs --write')} Peak resident memory of the whole process, one run each.\n\n${text}\n\n![Peak memory](plots/memory.svg)`,
  );
}
