// What an update takes of which one row in a hundred has changed, at a tenth of the rows and at all of them.
// `node update/bench.mjs [--rows 1000000] [--write]`; the service is a function, so that only the update is measured.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setting, table, writeSection } from '../harness/report.mjs';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' }, write: { type: 'boolean', default: false } } });
const runner = fileURLToPath(new URL('./runUpdate.mjs', import.meta.url));
const kinds = { since: 'with `since`', full: 'requested in full' };

function measure(kind, rows) {
  const folder = mkdtempSync(join(tmpdir(), 'trawler-bench-'));
  const [one, other] = [join(folder, 'one'), join(folder, 'other')];
  const run = (what, out, ...flags) =>
    JSON.parse(execFileSync(process.execPath, [...flags, runner, rows, kind, what, out], { encoding: 'utf8' }));
  try {
    run('crawl', one);
    cpSync(one, other, { recursive: true });
    const update = run('update', one);
    const small = run('update', other, '--max-old-space-size=64');
    const { new: added, changed } = update.changes;
    if (added !== (rows / 1000) * 9 || changed !== rows / 1000) throw new Error(`${added} new rows and ${changed} changed`);
    return { update, small };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const lines = Object.entries(kinds).flatMap(([kind, name]) => {
  const [few, many] = [Number(values.rows) / 10, Number(values.rows)].map((rows) => ({ rows, ...measure(kind, rows) }));
  const peak = (of, how) => `${of[how].peakMb}${of === many ? ` (×${(of[how].peakMb / few[how].peakMb).toFixed(2)})` : ''}`;
  return [few, many].map((of) => [
    `${of.rows.toLocaleString('en')} rows, ${name}`,
    of.update.requests.toLocaleString('en'),
    of.update.cpuS.toFixed(1),
    peak(of, 'update'),
    peak(of, 'small'),
    of.small.cpuS.toFixed(1),
  ]);
});
const text = table(['1 % of the rows changed', 'requests', 'CPU s', 'peak MB', 'peak MB, heap of 64 MB', 'its CPU s'], lines);
console.log(text);
if (values.write) writeSection('update', `${setting('node bench/update/bench.mjs --write')} One run each.\n\n${text}`);
