// How long the page of `trawler show` waits for rows of a file with a million of them, from the start of the command on.
// `node bench/show/million.mjs [--rows 1000000] [--file reviews.jsonl] [--only filter] [--loaded] [--browser]`. The ending of `--file`
// is its format: text or Parquet. A request that only tells how much of the file was read is repeated, as the page does. With `--loaded` the same view is
// requested again once the file is loaded. With `--browser` the view is opened in Chromium, and is timed from the address to the rows.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { from, lastValueFrom } from 'rxjs';
import { toFile } from '../../dist/bundle/sinks.js';
import { table } from '../harness/report.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    file: { type: 'string', default: 'reviews.jsonl' },
    only: { type: 'string', default: '' },
    loaded: { type: 'boolean', default: false },
    browser: { type: 'boolean', default: false },
  },
});
const { file } = values;
const cli = fileURLToPath(new URL('../../dist/bundle/cli.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'trawler-bench-'));
const [flow, folder] = [join(root, 'town.json'), join(root, 'town')];
writeFileSync(
  flow,
  JSON.stringify({
    name: 'town',
    stages: {
      places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 2, to: 'places.jsonl' },
      reviews: { call: 'placeReviews', each: 'places', keep: { place: '$.title' }, pages: 2, to: ['seeds.jsonl', file] },
    },
  }),
);
execFileSync(process.execPath, [cli, 'run', flow, '--sandbox', '--out', folder, '--quiet']);

/** Repeats the rows, each with an id of its own, in the format of the file. */
async function multiply(count) {
  const rows = readFileSync(join(folder, 'seeds.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const all = function* () {
    for (let n = 0; n < count; n += 1) yield { ...rows[n % rows.length], review_id: `r${n}`, ...(n % 7 === 0 ? { snippet: '' } : {}) };
  };
  const path = join(folder, `many-${file}`);
  await lastValueFrom(from(all()).pipe(toFile(path)));
  renameSync(path, join(folder, file));
}

const last = `r${values.rows - 1}`;
const cases = {
  'first table': '',
  'filter: one row in four fits': 'f=empty:snippet',
  'filter on numbers': 'f=from:rating:4',
  'filter: the last row only': `f=is:review_id:${last}`,
  'filter: contains, other capitals': `f=has:review_id:R${values.rows - 1}`,
  'filter: none fits': 'f=is:source:nobody',
  'filter on numbers, none fits': 'f=from:likes:100000',
  'filter: empty, none fits': 'f=empty:place',
  'filter: is not, none fits': 'f=not:source:Engine',
  'filter on a nested column, none fits': 'f=has:user.name:nobody',
  'filter on a nested number, none fits': 'f=from:user.reviews:1000000',
  'search: many rows fit': 'q=modern',
  'search: the last row only': `q=${last}`,
  'sorted by numbers': 'sort=-likes',
  'sorted by text': 'sort=review_id',
};

/** Requests a view until it is whole. Waits in milliseconds: for the first answer, for rows, for all of the first screen. */
async function look(url, view) {
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  const waits = {};
  for (;;) {
    const response = await fetch(url.replace('/?', `/api/rows?file=${file}&offset=0&limit=100&${view}&`));
    const { rows, total } = await response.json();
    waits.answer ??= took();
    if (rows?.length > 0) waits.rows ??= took();
    if (rows?.length === 100 || total !== undefined) waits.screen ??= took();
    if (total !== undefined) return { ...waits, total, whole: took() };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function withShow(use) {
  const child = spawn(process.execPath, [cli, 'show', folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const url = await new Promise((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
    return await use(url, child.pid);
  } finally {
    child.kill('SIGKILL');
  }
}

/** CPU in milliseconds and peak memory in MB of a process, where the system tells. */
function costOf(pid) {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).map(Number);
    return { cpu: (user + system) * 10, peak: Math.round(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1] / 1024) };
  } catch {
    return { cpu: NaN, peak: NaN };
  }
}

/** From the address in the browser to the first rows, and to their count. */
async function lookInBrowser(page, url, view) {
  await page.goto('about:blank');
  const began = performance.now();
  await page.goto(`${url}#data?file=${file}&${view}`);
  const told = page.locator('.count', { hasText: /^(Rows 1 to|No rows fit)/ });
  await told.waitFor({ timeout: 120_000 });
  const screen = Math.round(performance.now() - began);
  await page.locator('.count', { hasText: /of [\d,]+$|^No rows fit/ }).waitFor({ timeout: 120_000 });
  return { answer: screen, screen, whole: Math.round(performance.now() - began), total: await told.textContent() };
}

const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
const flags = ['--no-sandbox', '--disable-dev-shm-usage']; // as root, and in a small container
const browser = values.browser
  ? await (await import('playwright-core')).chromium.launch({ executablePath: chromium, args: flags })
  : undefined;
try {
  await multiply(Number(values.rows));
  const lines = [];
  for (const [name, view] of Object.entries(cases).filter(([one]) => one.includes(values.only))) {
    const [cold, cost, warm] = await withShow(async (url, pid) => {
      const page = await browser?.newPage();
      const start = costOf(pid);
      const first = page === undefined ? await look(url, view) : await lookInBrowser(page, url, view);
      const { cpu, peak } = costOf(pid);
      await page?.close();
      if (!values.loaded) return [first, { cpu: cpu - start.cpu, peak }, undefined];
      for (const one of ['f=filled:place&sort=rating', 'sort=likes&q=a']) await look(url, one); // until it is loaded, and so that no count is remembered
      return [first, { cpu: cpu - start.cpu, peak }, await look(url, view)];
    });
    if (warm !== undefined && view !== '' && !values.browser && cold.total !== warm.total)
      throw new Error(`${name}: ${cold.total} rows, then ${warm.total}`);
    console.error(`${name}: ${JSON.stringify({ ...cold, ...cost })}${warm === undefined ? '' : `, once loaded ${JSON.stringify(warm)}`}`);
    lines.push([name, ...[cold.total, cold.answer, cold.screen, cold.whole, cost.cpu, cost.peak, warm?.whole ?? ''].map(String)]);
  }
  console.log(table(['milliseconds', 'rows that fit', 'first answer', 'first 100 rows', 'all counted', 'CPU till then', 'peak MB', 'once loaded'], lines)); // prettier-ignore
} finally {
  await browser?.close();
  rmSync(root, { recursive: true, force: true });
}
