// What a store costs: a crawl that records beside one that doesn't, one that is replayed, the same by hand, and one that only
// moves the bytes; and opening a store of many entries. A search is 305 pages. Several sizes give a table each.
// `node store/bench.mjs [--rounds 5] [--searches 10,40] [--entries 100000] [--write]`
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writeSection } from '../harness/report.mjs';
import { median, ratio, rounds, times } from '../harness/rounds.mjs';
import { startService } from '../service/startService.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    searches: { type: 'string', default: '10,40' },
    entries: { type: 'string', default: '100000' },
    write: { type: 'boolean', default: false },
  },
});

const path = (file) => fileURLToPath(new URL(file, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'trawler-bench-'));
const parts = [];
const byHand = 'a loop by hand, no store';
const each = ({ cpuMs, pages }) => cpuMs / pages;
const count = (number) => number.toLocaleString('en-US');
try {
  for (const [form, label] of [
    ['gzip', 'bodies come compressed'],
    ['unique', 'bodies come plain'],
  ]) {
    const service = await startService(0, form);
    try {
      for (const searches of values.searches.split(',')) {
        const stored = join(folder, `${form}-${searches}`);
        const command = (client, store, format = 'jsonl') => [
          process.execPath,
          path('../crawl/runClient.mjs'),
          client,
          format,
          service.url,
          searches,
          '16',
          JSON.stringify({ store }),
        ];
        const replay = { folder: stored, mode: 'replay' };
        const record = { name: 'record', command: command('pipes', { folder: stored, mode: 'record' }) };
        const [{ pages }] = (await rounds([record], { count: 1, warmup: 0, show: false })).get('record');
        const contenders = ['pipes', 'flow'].flatMap((client) => [
          { name: `${client}, no store`, base: client, command: command(client, undefined) },
          { name: `${client}, records`, base: client, command: command(client, { mode: 'record' }) },
          { name: `${client}, replayed`, base: client, command: command(client, replay) },
        ]);
        const csv = 'pipes to CSV';
        contenders.push(
          { name: `${csv}, no store`, base: csv, command: command('pipes', undefined, 'csv') },
          { name: `${csv}, replayed`, base: csv, command: command('pipes', replay, 'csv') },
          { name: byHand, base: 'pipes', command: command('floor', undefined) },
          { name: 'bytes only, nothing read', base: 'pipes', command: command('bytes', undefined) },
        );
        const results = await rounds(contenders, { count: Number(values.rounds) });
        const against = (name, base) => (results.has(base) ? times(ratio(results.get(name), results.get(base), each)) : '');
        const rows = contenders.map(({ name, base }) => [
          name,
          against(name, `${base}, no store`),
          against(name, `${base}, records`),
          base === csv ? '' : against(name, byHand),
          (median(results.get(name).map(each)) * 1000).toFixed(0),
        ]);
        const size = readdirSync(stored).reduce((sum, file) => sum + statSync(join(stored, file)).size, 0);
        const head = [`${label}, ${count(pages)} pages`, 'CPU × no store', 'CPU × records', 'CPU × by hand', 'CPU µs / page'];
        parts.push(`${table(head, rows)}\n\n${count(Math.round(size / pages))} bytes a page on disk.`);
        console.log(parts.at(-1), '\n');
        rmSync(stored, { recursive: true });
      }
    } finally {
      service.stop();
    }
  }

  const many = join(folder, 'many');
  const entries = Number(values.entries);
  const opening = { name: 'open', command: [process.execPath, '--expose-gc', path('./openMany.mjs'), many, String(entries)] };
  const opened = (await rounds([opening], { count: Number(values.rounds) })).get('open');
  const pick = (name) => median(opened.map((result) => result[name]));
  const rows = [
    ['opening it, CPU', `${pick('cpuMs').toFixed(0)} ms`],
    ['opening it, wall', `${pick('wallMs').toFixed(0)} ms`],
    ['memory of an entry', `${pick('bytesOfEntry').toFixed(1)} bytes`],
    ['a lookup that finds its response, CPU', `${pick('findUs').toFixed(1)} µs`],
  ];
  parts.push(table([`${count(entries)} entries`, ''], rows));
  console.log(parts.at(-1));
  if (values.write) {
    writeSection(
      'store',
      `${setting('npm run bench:store')} ${values.rounds} rounds, ${values.searches} searches.\n\n${parts.join('\n\n')}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
