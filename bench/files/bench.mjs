// Rows to files. `node files/bench.mjs [--rounds 3] [--rows 100000] [--million] [--write]`; --million adds the memory at ten times the rows.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writePlot, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '100000' },
    million: { type: 'boolean', default: false },
    formats: { type: 'string', default: 'jsonl,csv,jsonl.gz,parquet' },
    write: { type: 'boolean', default: false },
  },
});
const writers = {
  jsonl: { byHand: 'a loop by hand', trawler: 'trawler, toJsonl', stream: 'one stream write a row' },
  csv: {
    byHand: 'a loop by hand',
    trawler: 'trawler, toCsv',
    papaparse: 'papaparse',
    csvStringify: 'csv-stringify, arrays',
    fastCsvArrays: 'fast-csv, arrays',
    fastCsv: 'fast-csv, objects',
  },
  'jsonl.gz': { stream: 'createGzip, one write a row', trawler: 'trawler, toJsonl' },
  parquet: { trawler: 'trawler, toParquet' },
};
const runner = fileURLToPath(new URL('./runWriter.mjs', import.meta.url));
const rowsCount = Number(values.rows);
let text = '';
for (const format of values.formats.split(',')) {
  const names = Object.entries(writers[format]);
  const contender =
    (rows) =>
    ([name]) => ({ name, command: [process.execPath, runner, name, format, String(rows)] });
  const results = await rounds(names.map(contender(rowsCount)), { count: Number(values.rounds) });
  const many = values.million
    ? await rounds(names.filter(([name]) => name === 'trawler' || name === 'byHand').map(contender(rowsCount * 10)), {
        count: 1,
        warmup: 0,
      })
    : undefined;
  const base = results.get(names[0][0]);
  const rows = names.map(([name, label]) => {
    const own = results.get(name);
    const few = median(own.map(({ rssMb }) => rssMb));
    const lot = many?.get(name)?.[0]?.rssMb;
    return [
      label,
      times(ratio(own, base, ({ cpuMs }) => cpuMs)),
      times(ratio(own, base, ({ wallMs }) => wallMs)),
      median(own.map(({ cpuMs, rows: count }) => (cpuMs * 1000) / count)).toFixed(1),
      Math.round(few),
      lot === undefined ? '' : `${Math.round(lot)} (×${(lot / few).toFixed(2)})`,
    ];
  });
  const part = table(
    [`.${format}`, 'CPU × first', 'wall × first', 'CPU µs / row', `peak MB, ${rowsCount / 1000}k rows`, `… ${rowsCount / 100}k rows`],
    rows,
  );
  console.log(`${part}\n`);
  text += `${part}\n\n`;
  if (values.write && names.length > 1) {
    writePlot(
      `files-${format.replace('.', '-')}`,
      `CPU µs a row, .${format}`,
      names.map(([name, label]) => ({
        label,
        ours: name === 'trawler',
        value: median(results.get(name).map(({ cpuMs, rows: count }) => (cpuMs * 1000) / count)),
        note: `${median(results.get(name).map(({ cpuMs, rows: count }) => (cpuMs * 1000) / count)).toFixed(1)} µs`,
      })),
    );
    text += `![CPU a row, .${format}](plots/files-${format.replace('.', '-')}.svg)\n\n`;
  }
}
if (values.write) writeSection('files', `${setting('npm run bench:files')} ${values.rounds} rounds.\n\n${text}`);
