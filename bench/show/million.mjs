// How long the page of `trawler show` waits for rows of a file with a million of them, from the start of the command on.
// `node bench/show/million.mjs [--rows 1000000]`. A request that only tells how much of the file was read is repeated, as the page does.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { table } from '../harness/report.mjs';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const cli = fileURLToPath(new URL('../../dist/bundle/cli.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'trawler-bench-'));
const [flow, folder] = [join(root, 'town.json'), join(root, 'town')];
const file = 'reviews.jsonl';
writeFileSync(
  flow,
  JSON.stringify({
    name: 'town',
    stages: {
      places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 2, to: 'places.jsonl' },
      reviews: { call: 'placeReviews', each: 'places', keep: { place: '$.title' }, pages: 2, to: file },
    },
  }),
);
execFileSync(process.execPath, [cli, 'run', flow, '--sandbox', '--out', folder, '--quiet']);

/** Repeats the rows, each with an id of its own. */
function multiply(count) {
  const path = join(folder, file);
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const out = openSync(path, 'w');
  let text = '';
  for (let n = 0; n < count; n += 1) {
    text += `${JSON.stringify({ ...rows[n % rows.length], review_id: `r${n}`, ...(n % 7 === 0 ? { snippet: '' } : {}) })}\n`;
    if (text.length > 1 << 22) [text] = ['', writeSync(out, text)];
  }
  writeSync(out, text);
  closeSync(out);
}

const cases = {
  'first table': '',
  'a filter that fits one row in four': 'f=empty:snippet',
  'a filter on numbers': 'f=from:rating:4',
  'a filter that fits the last row only': `f=is:review_id:r${values.rows - 1}`,
  'a filter that fits none': 'f=is:source:nobody',
  'a search': 'q=modern',
  sorted: 'sort=-likes',
};

/** Requests a view until it is whole. Waits in milliseconds: for the first answer, for rows, for all of the first screen. */
async function look(url, view) {
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  const waits = {};
  for (;;) {
    const response = await fetch(url.replace('/?', `/api/rows?file=${file}&offset=0&limit=100&${view}&`));
    const { rows, total, read } = await response.json();
    waits.answer ??= took();
    if (rows.length > 0) waits.rows ??= took();
    if (rows.length === 100 || read === undefined) waits.screen ??= took();
    if (read === undefined) return { ...waits, total, whole: took() };
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

async function withShow(use) {
  const child = spawn(process.execPath, [cli, 'show', folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const url = await new Promise((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
    return await use(url);
  } finally {
    child.kill('SIGKILL');
  }
}

try {
  multiply(Number(values.rows));
  const lines = [];
  for (const [name, view] of Object.entries(cases)) {
    const [cold, warm] = await withShow(async (url) => {
      const first = await look(url, view);
      await look(url, 'f=filled:place&sort=rating'); // until it is loaded, and so that no count is remembered
      return [first, await look(url, view)];
    });
    if (view !== '' && cold.total !== warm.total) throw new Error(`${name}: ${cold.total} rows, then ${warm.total}`);
    console.error(`${name}: ${JSON.stringify(cold)}, once loaded ${JSON.stringify(warm)}`);
    lines.push([name, String(warm.total), ...['answer', 'screen', 'whole'].map((wait) => String(cold[wait])), String(warm.whole)]);
  }
  console.log(table(['milliseconds', 'rows that fit', 'first answer', 'first 100 rows', 'all counted', 'once loaded'], lines));
} finally {
  rmSync(root, { recursive: true, force: true });
}
