// Whole crawls: searches × 5 pages × 20 places × 3 review pages of 20 rows, rows to a file.
// `node crawl/bench.mjs [--rounds 5] [--searches 10] [--only a,b] [--formats jsonl,csv] [--write]`
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writePlot, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    searches: { type: 'string', default: '10' },
    concurrency: { type: 'string', default: '16' },
    only: { type: 'string' },
    formats: { type: 'string', default: 'jsonl,csv' },
    write: { type: 'boolean', default: false },
  },
});

const clients = [
  { name: 'bytes', label: 'bytes only, nothing parsed', formats: ['jsonl'] },
  { name: 'floor', label: 'floor: a loop by hand' },
  { name: 'pipes', label: 'trawler, pipes', ours: true },
  { name: 'flow', label: 'trawler, a flow with its journal', ours: true },
  { name: 'flowBullmq', label: 'trawler, a flow over BullMQ', ours: true, formats: ['jsonl'] },
  { name: 'rxjsFirst', label: 'RxJS as first written' },
  { name: 'gotPaginate', label: 'got.paginate' },
  { name: 'axiosPLimit', label: 'axios + p-limit' },
  { name: 'fetchPQueue', label: 'fetch + p-queue' },
  { name: 'fetchPLimit', label: 'fetch + p-limit' },
  { name: 'crawlee', label: 'Crawlee, BasicCrawler + fetch' },
].filter(({ name }) => values.only === undefined || name === 'floor' || values.only.split(',').includes(name));

const service = await startService();
const runner = fileURLToPath(new URL('./runClient.mjs', import.meta.url));
let text = '';
try {
  for (const format of values.formats.split(',')) {
    const contenders = clients
      .filter(({ formats }) => formats === undefined || formats.includes(format))
      .map(({ name }) => ({ name, command: [process.execPath, runner, name, format, service.url, values.searches, values.concurrency] }));
    const results = await rounds(contenders, { count: Number(values.rounds) });
    const floor = results.get('floor');
    const rows = contenders.map(({ name }) => {
      const own = results.get(name);
      const label = clients.find((client) => client.name === name).label;
      return [
        label,
        times(ratio(own, floor, ({ cpuMs, pages }) => cpuMs / pages)),
        times(ratio(own, floor, ({ wallMs, pages }) => wallMs / pages)),
        median(own.map(({ cpuMs, pages }) => cpuMs / pages)).toFixed(2),
        Math.round(median(own.map(({ pages, wallMs }) => (pages / wallMs) * 1000))),
        Math.round(median(own.map(({ rssMb }) => rssMb))),
      ];
    });
    const part = table([`to ${format.toUpperCase()}`, 'CPU × floor', 'wall × floor', 'CPU s / 1,000 pages', 'pages / s', 'peak MB'], rows);
    console.log(`${part}\n`);
    text += `${part}\n\n`;
    if (values.write) {
      writePlot(
        `crawl-${format}`,
        `A whole crawl to ${format.toUpperCase()}: CPU as a multiple of the floor`,
        contenders.map(({ name }) => ({
          label: clients.find((client) => client.name === name).label,
          ours: clients.find((client) => client.name === name).ours,
          value: ratio(results.get(name), floor, ({ cpuMs, pages }) => cpuMs / pages).median,
        })),
      );
      text += `![CPU as a multiple of the floor, ${format}](plots/crawl-${format}.svg)\n\n`;
    }
  }
  if (values.write)
    writeSection(
      'crawl',
      `${setting('npm run bench:crawl')} ${values.rounds} rounds, ${values.searches} searches, ${values.concurrency} in flight; medians with ranges, ratios taken within a round.\n\n${text}`,
    );
} finally {
  service.stop();
}
