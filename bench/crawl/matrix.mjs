// One thing changed at a time: the size of a page, whether responses conform, the requests in flight, how long it runs, start-up
// counted or not.
// `node crawl/matrix.mjs [--rounds 3] [--searches 12] [--formats jsonl,csv] [--cases TEXT] [--beside FOLDER] [--write]`
// CASES: only those whose name contains the text. FOLDER: another checkout, built; its pipes and flow are measured too.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    searches: { type: 'string', default: '12' },
    formats: { type: 'string', default: 'jsonl,csv' },
    cases: { type: 'string', default: '' },
    beside: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

const cases = [
  { name: '3 kB', rows: 2 },
  { name: '10 kB', rows: 8 },
  { name: '26 kB', rows: 20 },
  { name: '100 kB', rows: 78 },
  // Ten times as long: so much of it runs compiled code that the rest doesn't count.
  { name: '10 kB, 36,600 pages', rows: 8, searches: 120 },
  { name: '26 kB, 36,600 pages', rows: 20, searches: 120 },
  { name: '10 kB, drifting', rows: 8, form: 'drift' },
  { name: '26 kB, drifting', rows: 20, form: 'drift' },
  { name: '26 kB, 1 in flight', rows: 20, inFlight: 1 },
  { name: '26 kB, 8 in flight', rows: 20, inFlight: 8 },
  { name: '26 kB, 32 in flight', rows: 20, inFlight: 32 },
].filter(({ name }) => name.includes(values.cases));
const here = fileURLToPath(new URL('./runClient.mjs', import.meta.url));
const there = `${values.beside}/bench/crawl/runClient.mjs`;
const clients = [
  { label: 'floor', client: 'floor' },
  { label: 'bytes', client: 'bytes', formats: ['jsonl'] },
  { label: 'pipes', client: 'pipes' },
  { label: 'unchecked', client: 'pipes', options: { validate: 'off' } },
  { label: 'flow', client: 'flow' },
  ...(values.beside === undefined ? [] : ['pipes', 'flow'].map((client) => ({ label: `${client} there`, client, runner: there }))),
];

async function measure(format) {
  const contenders = clients.filter(({ formats }) => formats === undefined || formats.includes(format));
  const services = await Promise.all(cases.map(({ form, rows }) => startService(0, form, rows)));
  try {
    const all = cases.flatMap(({ name, searches = values.searches, inFlight = 16 }, i) =>
      contenders.map(({ label, client, options = {}, runner = here }) => ({
        name: `${name}: ${label}`,
        command: [process.execPath, runner, client, format, services[i].url, String(searches), String(inFlight), JSON.stringify(options)],
      })),
    );
    const results = await rounds(all, { count: Number(values.rounds), warmup: 0 });
    const line = (name, title, pick) => {
      const floor = results.get(`${name}: floor`);
      const others = contenders.slice(1).map(({ label }) => times(ratio(results.get(`${name}: ${label}`), floor, pick)));
      return [title, Math.round(median(floor.map(pick)) * 1000), ...others];
    };
    const lines = cases.map(({ name }) => line(name, name, ({ cpuMs, pages }) => cpuMs / pages));
    const plain = cases.filter(({ form, inFlight, searches }) => form === undefined && inFlight === undefined && searches === undefined);
    const whole = plain.map(({ name }) => line(name, `${name}, start-up counted`, ({ allCpuMs, pages }) => allCpuMs / pages));
    return table([`to ${format.toUpperCase()}`, 'floor, µs', ...contenders.slice(1).map(({ label }) => label)], [...lines, ...whole]);
  } finally {
    for (const service of services) service.stop();
  }
}

const tables = [];
for (const format of values.formats.split(',')) {
  tables.push(await measure(format));
  console.log(`${tables.at(-1)}\n`);
}
if (values.write) {
  const pages = (Number(values.searches) * 305).toLocaleString('en'); // 5 pages of 20 places with 3 pages of reviews each
  const about = `${values.rounds} rounds; ${pages} pages and 16 in flight where nothing else is said.`;
  writeSection('matrix', `${setting('node bench/crawl/matrix.mjs --write')} ${about}\n\n${tables.join('\n\n')}`);
}
