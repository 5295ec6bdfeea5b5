// 100,000 seeds × 1 page through a flow with its journal, beside a loop by hand, and a tenth of them for the memory.
// `node crawl/seeds.mjs [--rounds 2] [--seeds 100000] [--write]`
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writePlot, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    seeds: { type: 'string', default: '100000' },
    write: { type: 'boolean', default: false },
  },
});
const clients = { seedsFloor: 'a loop by hand', seedsFlow: 'trawler, a flow with its journal' };
const service = await startService();
try {
  const runner = fileURLToPath(new URL('./runClient.mjs', import.meta.url));
  const run = (seeds, options) =>
    rounds(
      Object.keys(clients).map((name) => ({ name, command: [process.execPath, runner, name, 'jsonl', service.url, String(seeds), '16'] })),
      options,
    );
  const few = await run(Number(values.seeds) / 10, { count: 1, warmup: 0 });
  const results = await run(values.seeds, { count: Number(values.rounds), warmup: 0 });
  const each = ({ cpuMs, pages }) => (cpuMs * 1000) / pages;
  const rows = Object.entries(clients).map(([name, label]) => {
    const own = results.get(name);
    const peak = median(own.map(({ rssMb }) => rssMb));
    const before = few.get(name)[0].rssMb;
    return [
      label,
      Math.round(median(own.map(({ pages, wallMs }) => (pages / wallMs) * 1000))),
      times(ratio(own, results.get('seedsFloor'), each)),
      median(own.map(each)).toFixed(0),
      Math.round(before),
      `${Math.round(peak)} (×${(peak / before).toFixed(2)})`,
    ];
  });
  const n = Number(values.seeds).toLocaleString('en');
  const text = table(
    [
      `${n} seeds, a page of 10 rows each`,
      'pages / s',
      'CPU × by hand',
      'CPU µs / page',
      `peak MB, ${(Number(values.seeds) / 10).toLocaleString('en')}`,
      `peak MB, ${n}`,
    ],
    rows,
  );
  console.log(text);
  if (values.write) {
    writePlot(
      'seeds',
      `${n} seeds: CPU µs a page`,
      Object.entries(clients).map(([name, label]) => ({
        label,
        ours: name === 'seedsFlow',
        value: median(results.get(name).map(each)),
        note: `${median(results.get(name).map(each)).toFixed(0)} µs`,
      })),
    );
    writeSection(
      'seeds',
      `${setting('node bench/crawl/seeds.mjs --write')} ${values.rounds} rounds.\n\n${text}\n\n![CPU a page](plots/seeds.svg)`,
    );
  }
} finally {
  service.stop();
}
