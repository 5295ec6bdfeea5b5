import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { cp, mkdir, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Readable } from 'node:stream';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, inject, it, vi } from 'vitest';
import { Kept } from '../cli/runInProcess.ts';
import { ofTheDay } from '../ofTheDay.ts';
import { runCommand } from '../../src/cli/runCommand.ts';
import { nodeFileSystem } from '../../src/files/nodeFileSystem.ts';
import { renderReport } from '../../src/flow/report/renderReport.ts';
import { MapSketch } from '../../src/flow/report/RunRecorder.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { exampleReport } from '../flow/report/exampleReport.ts';
import { hasChromium, launchChromium } from '../launchChromium.ts';
import { shownRun } from './shownRun.ts';
import { more } from '../sandbox/moreFaults/more.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';

// Pages that wait for others draw themselves all the same.
vi.setConfig({ maxConcurrency: 2 });

/** A command that serves a page. */
interface Command {
  readonly url: string;
  /** As Ctrl-C does; gives its exit code. */
  readonly stop: () => Promise<number>;
}

interface Look {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

describe.skipIf(!hasChromium).concurrent('the page of trawler show', () => {
  let browser: Browser;
  let context: BrowserContext;
  /** Pages that no test has: to open a window takes longer than most tests. */
  const idle: Page[] = [];
  let run: Awaited<ReturnType<typeof shownRun>>;
  let service: Sandbox;
  let url: string;
  const started: Command[] = [];
  const kills: (() => Promise<unknown>)[] = [];

  /** Gives the address that a command prints. */
  const addressIn = (said: string): string | undefined => /http:\/\/\S+\?token=\S+/.exec(said)?.[0];
  const envOf = () => ({ TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey });

  /** Starts the command in this process, and gives the address that it prints. */
  async function command(...argv: readonly string[]): Promise<Command> {
    const end = new AbortController();
    const said = new Kept();
    const io = { stdin: Readable.from([]), stdout: said, stderr: said, env: envOf(), signal: end.signal };
    const ended = runCommand(argv, io);
    const stop = (): Promise<number> => {
      end.abort('SIGINT');
      return ended;
    };
    let isOver = false;
    void ended.finally(() => (isOver = true));
    while (addressIn(said.text) === undefined) {
      if (isOver) throw new Error(`it ended with ${await ended}: ${said.text}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    started.push({ url: addressIn(said.text)!, stop });
    return started.at(-1)!;
  }

  /** Starts it in a process of its own, and gives what kills it. */
  async function killable(...argv: readonly string[]): Promise<() => Promise<unknown>> {
    const env = { ...process.env, ...envOf() };
    const child = spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), ...argv], { env, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    kills.push(() => {
      child.kill('SIGKILL');
      return ended;
    });
    return kills.at(-1)!;
  }

  /** Its responses take a while, until its faults are taken away. */
  async function slowSandbox(): Promise<Sandbox> {
    const slow = await startSandbox();
    slow.setFaults([{ fault: 'delay', at: 'headers', ms: 200 }]);
    return slow;
  }

  /** A page that notes what the browser complains about, and which addresses it asks. */
  async function open(
    address?: string,
    { width = 1280, colorScheme = 'light' }: Look = {},
  ): Promise<{ page: Page; said: string[]; asked: Set<string> }> {
    const page = idle.pop() ?? (await context.newPage());
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const said: string[] = [];
    const asked = new Set<string>();
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    if (address !== undefined) await page.goto(address);
    return { page, said, asked };
  }

  /** Leaves a page to the next test, at an address that is refused: a blank page would have another process. */
  async function leave(page: Page): Promise<void> {
    await page.unrouteAll();
    for (const event of ['console', 'pageerror', 'request']) page.removeAllListeners(event);
    await page.goto(new URL('/', url).href);
    idle.push(page);
  }

  /** What axe finds, and what can be clicked but is less than 24 pixels high. */
  async function violationsOf(page: Page): Promise<readonly string[]> {
    const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'], preload: false, iframes: false })")) as {
      readonly violations: readonly { id: string; nodes: readonly { html: string }[] }[];
    };
    const small = (await page.evaluate(`[...document.querySelectorAll('a[href], button, summary, select, input:not([type=checkbox])')]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 24)
      .map((one) => 'small: ' + one.getBoundingClientRect().height + ' ' + one.outerHTML)`)) as readonly string[];
    return [...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`), ...small];
  }

  /** A copy of the run, without updates. */
  async function copyOfRun(name: string): Promise<string> {
    const folder = join(run.folder, '..', name);
    await cp(run.folder, folder, { recursive: true, filter: (path) => !path.endsWith('changes') });
    return folder;
  }

  beforeAll(async () => {
    [service, run, browser] = await Promise.all([startSandbox(), shownRun(), launchChromium()]);
    context = await browser.newContext({ reducedMotion: 'reduce', timezoneId: 'Asia/Tokyo' });
    await writeFile(join(run.folder, 'failures.jsonl'), `${JSON.stringify({ stage: hostile, error: { message: hostile } })}\n`);
    const [one, other] = [{ title: 'Wall Café', rating: 4 }, { title: 'Oak Café' }];
    const updates = {
      '2026-05-01T09-30-00.000Z': [{ change: 'new', row: other }, { change: 'changed', fields: ['rating'], was: { rating: 3 }, row: one }, { change: 'gone', row: other }], // prettier-ignore
      '2026-05-08T09-30-00.000Z': [one, other].map((row) => ({ change: 'new', row })),
    };
    for (const [moment, lines] of Object.entries(updates)) {
      const changes = join(run.folder, 'changes', moment);
      await mkdir(changes, { recursive: true });
      await writeFile(join(changes, 'places.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
    ({ url } = await command('show', run.folder));
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([...started.map(({ stop }) => stop()), ...kills.map((kill) => kill())]);
    await service?.close();
    await run?.remove();
  });

  const looks = [{ width: 1280, colorScheme: 'light' }, { width: 375, colorScheme: 'dark' }] as const; // prettier-ignore
  for (const { width, colorScheme } of ofTheDay(looks, 1)) {
    it(`is accessible and fits ${width} pixels in a ${colorScheme} theme, in its views and dialogs`, async ({ expect }) => {
      const { page, said, asked } = await open(url, { width, colorScheme });
      await page.evaluate(axe);
      const views = {
        '#now': '.stages tbody tr',
        '#data?file=places.jsonl&q=quiet': '.rows tbody tr',
        '#data?file=places.jsonl&q=quiet&row=12': 'dialog .fields',
        '#changes?file=changes/2026-05-01T09-30-00.000Z/places.jsonl&change=changed': '.changed table',
        '#runs': 'tbody tr',
      };
      for (const [view, ready] of ofTheDay(Object.entries(views), 2)) {
        await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
        await page.locator(ready).first().waitFor();
        expect([view, await violationsOf(page)]).toEqual([view, []]);
        expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, width]);
      }
      await page.evaluate("location.hash = '#data?file=places.jsonl&q=quiet'");
      const clicks = [
        [page.locator('summary', { hasText: /^Columns/ }), '.columns input'],
        [page.locator('summary', { hasText: 'Map' }), 'svg.map'],
      ] as const;
      for (const [click, ready] of ofTheDay(clicks, 1)) {
        await click.click();
        await page.locator(ready).first().waitFor();
        expect([ready, await violationsOf(page)]).toEqual([ready, []]);
        expect([ready, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([ready, width]);
        if (ready.startsWith('dialog')) await page.keyboard.press('Escape');
      }
      expect(said).toEqual([]);
      expect([...asked]).toEqual([new URL(url).origin]);
      await leave(page);
    });
  }

  it('says of a finished run without rows that it has none', async ({ expect }) => {
    const none = { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, pages: 'all', where: { title: 'no such place' }, expect: { rows: { '>=': 0 } }, to: 'none.jsonl' }; // prettier-ignore
    const empty = await shownRun({ name: 'empty', stages: { none } });
    const { url: shown, stop } = await command('show', empty.folder);
    const { page } = await open(shown);
    await expect.poll(() => page.locator('.steps li').first().textContent()).toContain('It is complete, but has no rows');
    const report = readFileSync(join(empty.folder, 'report.html'), 'utf8');
    expect([report.includes('No rows.'), report.includes('No rows yet')]).toEqual([true, false]);
    await page.evaluate("location.hash = '#changes'");
    await expect.poll(() => page.locator('main').textContent()).toContain('No update has changed anything here yet');
    await leave(page);
    await stop();
    await empty.remove();
  });

  it('says what to install where there is no DuckDB', async ({ expect }) => {
    const { page } = await open();
    const needed = 'DuckDB sorts rows. Install it.';
    await page.route(/\/api\/facets\?|[?&]sort=/, (route) => route.fulfill({ status: 400, body: needed }));
    await page.goto(`${url}#data?file=places.csv`);
    await expect.poll(() => page.locator('.facets p').textContent()).toBe(needed);
    await page.locator('thead a', { hasText: /^rating$/ }).click();
    await expect.poll(() => page.locator('main [role=alert]').textContent()).toBe(needed);
    await page.route(/\/api\/rows\?/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), total: 12_345, onlyFirst: 200 } });
    });
    await page.goto(`${url}#data?file=reviews.csv`);
    await expect
      .poll(() => page.locator('.counts').textContent())
      .toMatch(/Rows 1 to \d+ of 12,345\. Only the first 200 are shown\. DuckDB shows all, .*npm install @duckdb\/node-api/);
    await leave(page);
  });

  it('tells which cities gave nothing, and leads to all of them', async ({ expect }) => {
    const places = {
      call: 'mapsSearch',
      each: 'cities.csv',
      with: { query: 'coffee', ll: '$.ll' },
      keep: { city: '$.city' },
      to: 'places.csv',
    };
    const cities = 'city,ll\nSpringfield,"@40.74,-73.98,14z"\nOcean,"@-40.1,-120.1,14z"\n';
    const some = await shownRun({ name: 'cities', stages: { places } }, { 'cities.csv': cities });
    const { url: shown, stop } = await command('show', some.folder, '--allow-read', join(some.folder, '..'));
    const { page } = await open(shown);
    const section = page.locator('section', { hasText: /^Queries that found nothing/ });
    await expect.poll(() => section.locator('table').allTextContents()).toEqual(['cityOcean']);
    await section.getByRole('link', { name: 'empty.jsonl' }).click();
    await expect.poll(() => page.locator('.rows tbody').textContent()).toContain('Ocean');
    await leave(page);
    await stop();
    await some.remove();
  });

  it('draws ranks, and where rows were found, on a phone, as the report does', async ({ expect }) => {
    const place = { place_id: 'ChIJufRqS2Q1A3sUvVV2kI2HcA' };
    const acme = { link: { domain: 'acme.example' } };
    const grid = { within: [-74.0, 40.735, -73.96, 40.765], points: 9, zoom: 15 };
    const word = { call: 'webSearch', with: { query: ['coffee', 'tea'] }, keep: { word: '$query.query' }, until: acme, where: acme };
    const stages = {
      places: { call: 'mapsSearch', grid, with: { query: ['bakery'] }, pages: 3, until: place, where: place, to: 'places.csv' },
      words: { ...word, pages: 6, by: ['word', 'link'], seen: 'series', to: 'words.csv' },
      tops: { ...word, pages: 1, to: 'tops.csv' },
    };
    const shown = await shownRun({ name: 'ranks', headline: { map: 'places.csv', of: 'rank' }, stages });
    await shown.again('--update');
    const { url: now, stop } = await command('show', shown.folder);
    const { page, said } = await open(now, { width: 375, colorScheme: 'dark' });
    // A page that was left is at an address that is refused, whose policy lets no timer of the report run.
    const report = await context.newPage();
    await report.setContent(readFileSync(join(shown.folder, 'report.html'), 'utf8'));
    const section = (heading: string): Locator => page.locator('section', { has: page.locator('h2', { hasText: heading }) });
    const drawing = page.locator('svg.map');
    await drawing.waitFor();
    await page.evaluate(axe);
    expect([await violationsOf(page), await page.evaluate('document.documentElement.scrollWidth'), said]).toEqual([[], 375, []]);
    expect(await drawing.locator('circle').count()).toBe(9);
    expect(await drawing.locator('.label', { hasText: /^\d+$/ }).count()).toBeGreaterThan(0);
    expect(await drawing.innerHTML()).toBe(await report.locator('svg.map').innerHTML());
    await report.setViewportSize({ width: 375, height: 900 });
    await report.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
    await report.evaluate(axe);
    expect(await violationsOf(report)).toEqual([]);
    expect(await report.evaluate("document.querySelector('.drawing:has(.flow)').tabIndex")).toBe(0);
    expect(await section('Queries that found nothing').locator('h3').allTextContents()).toContain('tops: 1');
    await Promise.all([leave(page), report.close(), stop()]);
    await shown.remove();
  });

  const screens = [
    { name: 'a phone', width: 360, height: 740, colorScheme: 'dark' },
    { name: 'a desktop', width: 1280, height: 900, colorScheme: 'light' },
  ] as const;
  it.for(screens)(
    'has a report that fits $name, draws everything, asks the network for nothing and breaks no rule of its own',
    async ({ width, height, colorScheme }, { expect }) => {
      const data = exampleReport();
      const file = join(run.folder, '..', `report-${width}.html`);
      await writeFile(file, renderReport(data));
      const address = pathToFileURL(file).href;
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      const said: string[] = [];
      const asked: string[] = [];
      page.on('console', (message) => said.push(message.text()));
      page.on('pageerror', (error) => said.push(error.message));
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(address);
      const counts = { '.flow g': 5, '.flow path': 5, '.file': 3, 'table.sample': 2, script: 0 };
      const { wide, title, ending, text, overlaps, ...drawn } = (await page.evaluate(`({
        wide: document.documentElement.scrollWidth,
        title: document.querySelector('h1').textContent,
        ending: document.querySelector('.ending').textContent,
        text: document.querySelector('main').textContent,
        overlaps: [...document.querySelectorAll('svg.x')].flatMap((axis) => {
          const boxes = [...axis.querySelectorAll('text')].map((label) => label.getBoundingClientRect()).filter(({ width }) => width > 0);
          return boxes.filter((box, at) => at > 0 && box.left < boxes[at - 1].right);
        }).length,
        ...Object.fromEntries(${JSON.stringify(Object.keys(counts))}.map((name) => [name, document.querySelectorAll(name).length])),
      })`)) as { readonly [what: string]: string };
      expect([wide, title, overlaps, drawn]).toEqual([width, 'coffee <b>&</b> tea', 0, counts]);
      expect(ending).toMatch(/^done, 3 queries failed, after 1 min 4 s;/);
      expect(text!.split('coffee <b>&</b> tea')).toHaveLength(2); // the title stands once
      expect((await page.screenshot()).byteLength).toBeGreaterThan(10_000);
      expect(said).toEqual([]);
      expect(asked).toEqual([address]);

      const sketch = new MapSketch();
      sketch.add({ stage: 'places', x: 0.5, y: 0.5, across: 0.001, down: 0.001, zoom: 10, rows: 20, end: 'done', dots: [[0.5, 0.5]] });
      await page.setContent(renderReport({ ...data, maps: new Map([['places', sketch]]) }));
      expect(await page.locator('svg.map').isVisible()).toBe(true);
      expect((await page.locator('svg.map text').last().boundingBox())!.height).toBeGreaterThan(10);
      await page.close();
    },
  );

  it('shows the rows of a file that gets its name while it is opened, as a run ends', async ({ expect }) => {
    const folder = await copyOfRun('ending');
    const file = join(folder, 'reviews.jsonl');
    await rename(file, `${file}.part`);
    const { url: shown, stop } = await command('show', folder);
    const really = nodeFileSystem.open.bind(nodeFileSystem);
    let opened = 0;
    const spy = vi.spyOn(nodeFileSystem, 'open').mockImplementation((path, ...how) => {
      if (path === `${file}.part` && ++opened === 3) renameSync(path, file); // it was listed, looked up, and is opened now
      return really(path, ...how);
    });
    const { page, said } = await open(`${shown}#data?file=reviews.jsonl`);
    await expect.poll(() => page.locator('.count').textContent()).toMatch(/^Rows 1 to 100 of/);
    spy.mockRestore();
    expect([opened >= 3, said]).toEqual([true, []]);
    await leave(page);
    await stop();
  });

  it('tells updates of one minute apart, and leaves out rows in which only fields changed that change always', async ({ expect }) => {
    const folder = await copyOfRun('twice');
    const [first, second] = ['2026-05-01T09-30-05.000Z', '2026-05-01T09-30-40.000Z'].map((name) => join(folder, 'changes', name));
    for (const changes of [first!, second!]) {
      await mkdir(changes, { recursive: true });
      await writeFile(join(changes, 'places.jsonl'), '{"change":"new","row":{"title":"Wall Café"}}\n');
    }
    const line = (n: number, fields: object): string =>
      `${JSON.stringify({ change: 'changed', fields: Object.keys(fields), was: { position: n, rating: 3 }, row: { title: `Café ${n}`, ...fields } })}\n`;
    await writeFile(join(second!, 'reviews.jsonl'), [1, 2, 3].map((n) => line(n, n === 2 ? { position: 9, rating: 5 } : { position: 9 })).join('')); // prettier-ignore
    const { url: shown, stop } = await command('show', folder);
    const { page } = await open(`${shown}#changes`);
    const times = page.getByRole('group', { name: 'Updates' }).locator('tbody th', { hasText: 'UTC' });
    await expect
      .poll(async () => [...new Set(await times.allTextContents())])
      .toEqual(['2026-05-01 09:30:40 UTC', '2026-05-01 09:30:05 UTC']);
    await page.goto(`${shown}#changes?file=changes/2026-05-01T09-30-40.000Z/reviews.jsonl&change=changed`);
    const names = page.locator('.changed tbody th');
    await expect.poll(() => names.count()).toBe(3);
    await page.getByRole('link', { name: 'Leave out what changes in most rows: position' }).click();
    await expect.poll(() => page.locator('.changed tbody tr').allTextContents()).toEqual(['Café 2rating35']);
    expect(await page.locator('main').textContent()).toContain('2 rows left out, in which nothing else changed');
    await page.getByRole('link', { name: /^Show position/ }).click();
    await expect.poll(() => names.count()).toBe(3);
    await leave(page);
    await stop();
  });

  it('shows a row with its nested values, and the query and response that it comes from', async ({ expect }) => {
    const { page } = await open(`${url}#data?file=reviews.jsonl&row=0`);
    const source = page.locator('dialog section', { hasText: 'Source' });
    await expect
      .poll(() => source.textContent())
      .toMatch(/It comes from mapsReviews, in the stage reviews.*operation.*query.*data_id.*request_id/);
    expect(await page.locator('dialog .fields .fields').first().textContent()).toMatch(/name/);
    await leave(page);
  });

  it('lists what updates changed and sums it up: new rows, changed ones before and after, and those that are gone', async ({ expect }) => {
    const { page } = await open(`${url}#changes`);
    const updates = page.getByRole('group', { name: 'Updates' });
    const lines = (): Promise<string[]> => updates.locator('tbody tr').allTextContents();
    const [first, second] = ['2026-05-01 09:30 UTCplaces111', '2026-05-08 09:30 UTCplaces200'];
    await expect.poll(lines).toEqual(['2 updatesplaces311', second, first]);
    await updates.locator('.sums a').first().click();
    await expect.poll(() => page.locator('h2').textContent()).toBe('3 new in places');
    await expect.poll(() => page.locator('.listed tbody th').allTextContents()).toEqual(['Wall Café', 'Oak Café', 'Oak Café']);
    await updates.locator('tr').last().locator('a').nth(1).click();
    await expect.poll(() => page.locator('.changed tbody').textContent()).toBe('Wall Caférating34');
    await page.getByLabel('Since').selectOption('2026-05-08 09:30 UTC');
    await expect.poll(lines).toEqual([second]);
    expect(await page.locator('h2').count()).toBe(0);
    await page.goBack();
    await expect.poll(lines).toHaveLength(3);
    await updates.locator('tr').last().locator('a').nth(2).click();
    await expect.poll(() => page.locator('h2').textContent()).toBe('1 gone in places');
    await leave(page);
  });

  it('lists the numbers that rose and fell in a series, each with the number before', async ({ expect }) => {
    const folder = await copyOfRun('series');
    const changes = join(folder, 'changes', '2026-05-01T09-30-05.000Z');
    await mkdir(changes, { recursive: true });
    const lines = [
      { change: 'rose', field: 'rank', was: 12, is: 9, row: { title: 'Wall Café', rank: 9, price: '28 USD' } },
      { change: 'fell', field: 'price', was: 30, is: 28, row: { title: 'Wall Café', rank: 9, price: '28 USD' } },
      { change: 'fell', field: 'stats.views', was: 70, is: 7, row: { title: 'Oak Café', stats: { views: 7 } } },
    ];
    await writeFile(join(changes, 'places.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { url: shown, stop } = await command('show', folder);
    const { page } = await open(`${shown}#changes`);
    const updates = page.getByRole('group', { name: 'Updates' });
    await expect
      .poll(() => updates.locator('tr').allTextContents())
      .toEqual(['updaterows ofnewchangedgonerosefell', '2026-05-01 09:30 UTCplaces00012']);
    await updates.getByRole('link', { name: '2' }).click();
    await expect.poll(() => page.locator('h2').textContent()).toBe('2 fell in places');
    const rows = page.locator('.changed tbody tr');
    await expect.poll(() => rows.allTextContents()).toEqual(['Wall Caféprice3028', 'Oak Caféstats.views707']);
    await page.getByRole('link', { name: /^Leave out price/ }).click();
    await expect.poll(() => rows.allTextContents()).toEqual(['Oak Caféstats.views707']);
    await rows.getByRole('link').click();
    await expect.poll(() => page.locator('dialog table tbody').textContent()).toBe('stats.views707');
    await leave(page);
    await stop();
  });

  it('tells when updates began in UTC, as the report and the files do, and fits their counts on a phone', async ({ expect }) => {
    const { page } = await open(undefined, { width: 375 }); // in Tokyo, as all pages
    const counts = { new: 1_234_567, changed: 1_234_567, gone: 1_234_567 };
    await page.route('**/api/changes?*', (route) => route.fulfill({ json: { counts, fields: [], rows: [], leftOut: 0 } }));
    await page.goto(`${url}#changes`);
    const updates = page.getByRole('group', { name: 'Updates' });
    await expect
      .poll(() => updates.locator('tbody th').allTextContents())
      .toEqual(['2 updates', '2026-05-08 09:30 UTC', '2026-05-01 09:30 UTC']);
    expect(await page.getByLabel('Since').locator('option').allTextContents()).toContain('2026-05-08 09:30 UTC');
    const gone = updates.locator('.sums td').last();
    expect(await gone.textContent()).toBe('2,469,134');
    const [box, cell] = [(await updates.boundingBox())!, (await gone.boundingBox())!];
    expect(cell.x + cell.width).toBeLessThanOrEqual(box.x + box.width);
    await leave(page);
  });

  it('filters by a frequent value, hides a column, and answers SQL, all in its address', async ({ expect }) => {
    const { page } = await open(`${url}#data?file=reviews.jsonl`);
    await page.locator('.facets section', { hasText: /^rating/ }).getByRole('link').first().click(); // prettier-ignore
    await expect.poll(() => page.locator('.chips').textContent()).toContain('rating is');
    await page.locator('.columns summary').click();
    await page.locator('.columns').getByLabel('place', { exact: true }).uncheck();
    await expect.poll(() => page.locator('thead th', { hasText: /^place$/ }).count()).toBe(0);
    expect(await page.locator('.columns summary').textContent()).toBe('Columns (1 hidden)');
    await page.locator('summary', { hasText: /^SQL$/ }).click();
    await page.getByLabel('SQL', { exact: true }).fill('SELECT count(DISTINCT place) AS places FROM reviews');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => page.locator('.answer').textContent()).toMatch(/^places\d+$/);
    await page.reload();
    await expect.poll(() => page.locator('.answer').textContent()).toMatch(/^places\d+$/);
    expect(await page.locator('.chips').textContent()).toContain('rating is');
    expect(await page.locator('thead th', { hasText: /^place$/ }).count()).toBe(0);
    await page.getByLabel('SQL', { exact: true }).fill('DROP TABLE reviews');
    await page.getByRole('button', { name: 'Run' }).click();
    await expect.poll(() => page.locator('.answer').textContent()).toContain('Only one SELECT is run');
    await leave(page);
  });

  it('has a map that keys and buttons move and zoom, whose dots are coloured and lead to rows', async ({ expect }) => {
    const { page } = await open(`${url}#data?file=places.jsonl`);
    await page.locator('summary', { hasText: 'Map' }).click();
    const map = page.locator('svg.map');
    const degrees = (): Promise<string[]> => map.locator('.degrees').allTextContents();
    await map.waitFor();
    const all = await degrees();
    await page.getByRole('group', { name: /^Map/ }).focus();
    for (const key of ['+', '+', 'ArrowRight']) await page.keyboard.press(key);
    await expect.poll(degrees).not.toEqual(all);
    await page.keyboard.press('0');
    await expect.poll(degrees).toEqual(all);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(degrees).not.toEqual(all);
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByLabel('Colour by').selectOption('rating');
    await expect.poll(() => page.locator('.key').allTextContents()).toContainEqual(expect.stringMatching(/^rating [\d.]+ to [\d.]+$/));
    expect(await map.locator('.label').first().textContent()).toMatch(/^[\d.]+$/);
    const circle = map.locator('circle').last();
    const [x, y] = await Promise.all(['cx', 'cy'].map(async (name) => Number(await circle.getAttribute(name))));
    await map.click({ position: { x: x!, y: y! } });
    await page.locator('dialog .fields').first().waitFor();
    await leave(page);
  });

  it('is less than 150 kB', async ({ expect }) => {
    const html = Buffer.byteLength(await (await fetch(url)).text());
    const data = Buffer.byteLength(await (await fetch(url.replace('/?', '/api/state?'))).text());
    expect(html + data).toBeLessThan(150_000);
  });

  it('brings the column of a new filter into view, and then leaves the table where the reader puts it', async ({ expect }) => {
    const { page } = await open(`${url}#data?file=reviews.jsonl`, { width: 375 });
    const rows = page.getByRole('group', { name: 'Rows' });
    const head = page.locator('thead th', { hasText: /^user\.reviews/ });
    const isSeen = async (): Promise<boolean> => {
      const [box, cell] = [(await rows.boundingBox())!, (await head.boundingBox())!];
      return cell.x >= box.x - 1 && cell.x + cell.width <= box.x + box.width + 1;
    };
    await head.waitFor();
    expect(await isSeen()).toBe(false);
    await page.evaluate("location.hash = '#data?file=reviews.jsonl&f=filled:user.reviews'");
    await expect.poll(isSeen).toBe(true);
    await rows.evaluate((element) => element.scrollTo({ left: 0 }));
    await page.evaluate("location.hash = '#data?file=reviews.jsonl&f=filled:user.reviews&page=2'");
    await expect.poll(() => page.locator('.count').textContent()).toMatch(/^Rows 101/);
    expect(await isSeen()).toBe(false);
    await leave(page);
  });

  it('says how much of a large file was read', async ({ expect }) => {
    const { page } = await open();
    let asked = 0;
    let goOn = (): void => undefined;
    const seen = new Promise<void>((resolve) => (goOn = resolve));
    await page.route('**/api/rows?*', async (route) => {
      const response = await route.fetch();
      const part = (await response.json()) as object;
      if (++asked > 1) await seen;
      await route.fulfill(asked > 2 ? { json: part } : { status: 202, json: { read: 0.25 * asked } });
    });
    await page.goto(`${url}#data?file=reviews.jsonl&f=filled:snippet`);
    await expect.poll(() => page.locator('.count').textContent()).toMatch(/^25 % of the file read so far/);
    expect(await page.getByRole('progressbar').getAttribute('value')).toBe('0.25');
    goOn();
    await expect.poll(() => page.locator('.count').textContent()).toMatch(/^Rows 1 to 100 of \d+$/);
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await leave(page);
  });

  it('says that the connection is lost, and goes on when it is back', async ({ expect }) => {
    const { page } = await open(url);
    await expect.poll(() => page.locator('.ending').textContent()).toMatch(/^done/);
    const line = page.locator('.told');
    await page.route('**/api/state?*', (route) => route.abort());
    await expect.poll(() => line.textContent()).toContain('server does not respond');
    await page.unroute('**/api/state?*');
    await expect.poll(() => line.textContent()).toBe('');
    await page.route('**/api/state?*', (route) => route.abort());
    await page.reload();
    await expect.poll(() => line.textContent()).toContain('server does not respond');
    await page.unroute('**/api/state?*');
    await expect.poll(() => page.locator('.ending').textContent(), { timeout: 20_000 }).toMatch(/^done/);
    expect(await line.textContent()).toBe('');
    await leave(page);
  });

  it('shows failures with an example, and retries them', async ({ expect }) => {
    await using failing = await startSandbox();
    const args = ['run', run.flow, '--out', `${run.folder}-retry`, '--show', '--quiet', '--price', '0.002', '--base-url', failing.url];
    failing.setFaults([{ fault: 'status', status: 404, operation: 'mapsReviews', times: 1 }]);
    const { url: live, stop } = await command(...args);
    const { page } = await open(live);
    await expect.poll(() => page.locator('.ending').textContent(), { timeout: 30_000 }).toMatch(/^done/);
    const failures = page.locator('section', { hasText: /^Failures/ });
    expect(await failures.locator('tbody tr').count()).toBe(1);
    expect(await failures.textContent()).toMatch(/404/);
    await expect
      .poll(() => page.locator('#says-failures').textContent())
      .toBe('It costs at least 1 request: one for each query that failed. That is at least 0.002.');
    expect(await page.locator('.lead').textContent()).toMatch(/Cost0\.\d+/);
    await page.getByRole('button', { name: 'Retry failures' }).click();
    await expect.poll(() => page.locator('#says-failures').count(), { timeout: 30_000 }).toBe(0);
    await expect.poll(() => page.locator('.ending').textContent(), { timeout: 30_000 }).toMatch(/^done/);
    await stop();
    await leave(page);
  });

  it('says what is left, the limit that was learnt, drift, and how each stage ended', async ({ expect }) => {
    await using limited = await startSandbox({ rateLimit: { kind: 'bucket', perSecond: 16, burst: 4 } });
    limited.setFaults([more({ fault: 'badRows', as: 'types', operation: 'mapsReviews', nth: 2 })]);
    const args = ['run', run.flow, '--out', `${run.folder}-limited`, '--show', '--quiet', '--price', '0.01', '--base-url', limited.url];
    const { url: live, stop } = await command(...args);
    const { page } = await open(live);
    const figures = page.locator('.lead');
    await expect
      .poll(() => figures.textContent(), { timeout: 20_000 })
      .toMatch(/Requests\d+(at least|about) \d+ left.*Time left(at least|about) \d.*Cost\d.*left/);
    const why = page.locator('section', { hasText: /^Why isn’t it faster/ });
    await expect.poll(() => why.textContent(), { timeout: 20_000 }).toMatch(/It sends [\d.]+ requests per second \(at most [\d.]+\)/);
    await expect.poll(() => page.locator('.ending').textContent(), { timeout: 40_000 }).toMatch(/^done/);
    expect(await page.locator('.steps').textContent()).toMatch(/mapsReviews: not as documented in \d+ of \d+ pages looked at/);
    expect(await page.locator('.stages tbody tr').allTextContents()).toEqual([
      expect.stringMatching(/^places.*capped$/),
      expect.stringMatching(/^reviews.*capped$/),
    ]);
    expect(await page.locator('.steps li').first().textContent()).toBe(
      'Capped: a limit of the flow or the service ended queries that had more rows.',
    );
    expect((await page.locator('main').textContent())!.split('ended queries that had more rows')).toHaveLength(2); // said once
    expect(await figures.textContent()).not.toContain('left');
    expect(await page.locator('.badge').textContent()).toBe('done, capped');
    expect(await page.locator('section', { hasText: 'Why wasn’t it faster?' }).textContent()).toMatch(
      /It sent [\d.]+ requests per second \(at most [\d.]+\), .* in flight on average.*Waiting on average: .*for the rate.*That is the limit of the service/,
    );
    await stop();
    await leave(page);
  });

  it('says what to do in a folder without a run', async ({ expect }) => {
    const { url: empty, stop } = await command('show', join(run.folder, 'changes'));
    const { page } = await open(empty);
    await page.evaluate(axe);
    await expect.poll(() => page.locator('h1').textContent()).toBe('No run here yet');
    for (const view of ofTheDay(['#now', '#data', '#changes', '#runs'], 1)) {
      await page.evaluate(`location.hash = '${view}'`);
      await expect.poll(() => page.locator('main').textContent()).toMatch(/Start one: \S.* run FLOW --/);
      expect([view, await violationsOf(page)]).toEqual([view, []]);
    }
    await stop();
    await leave(page);
  });

  it('finds the places without a phone number', async ({ expect }) => {
    const { page } = await open(`${url}#data`);
    const none = readFileSync(join(run.folder, 'places.jsonl'), 'utf8').trimEnd().split('\n').filter((line) => ((JSON.parse(line) as { phone?: string }).phone ?? '') === '').length; // prettier-ignore
    await page.getByLabel('Column').selectOption('phone');
    await page.getByLabel('Condition').selectOption('empty');
    await page.getByRole('button', { name: 'Add' }).click();
    await expect.poll(() => page.locator('.count').textContent()).toMatch(none === 0 ? /No rows fit/ : new RegExp(`of ${none}$`));
    expect(await page.locator('.chips li').textContent()).toContain('phone is empty');
    await leave(page);
  });

  it('leads from a place to its reviews and back, with the keyboard alone', async ({ expect }) => {
    const { page } = await open(`${url}#data?file=places.jsonl`);
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('Enter');
    const title = await page.locator('dialog .fields dd').first().textContent();
    const reviews = page.locator('dialog section', { hasText: 'All reviews with the same place' }).getByRole('link', { name: /^All/ });
    await reviews.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.chips').textContent()).toContain('place is');
    await page.locator('.rows[aria-busy=false] tbody td', { hasText: title! }).first().waitFor();
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog section', { hasText: 'Rows of places that it may come from' }).getByRole('link').first().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    await leave(page);
  });

  it('shows what rows contain as text', async ({ expect }) => {
    const { page, said } = await open(`${url}#data?file=failures.jsonl&row=0`);
    await expect.poll(() => page.locator('dialog .fields').first().textContent()).toContain(hostile);
    expect(await page.title()).toBe('Data – trawler');
    expect(await page.locator('main img, dialog img').count()).toBe(0);
    expect(said).toEqual([]);
    await leave(page);
  });

  it('follows a run, pauses it and resumes it', async ({ expect }) => {
    await using slow = await slowSandbox();
    const argv = ['run', run.flow, '--out', `${run.folder}-live`, '--show', '--quiet', '--concurrency', '2', '--base-url', slow.url];
    const { url: live, stop } = await command(...argv);
    const { page, said } = await open(live);
    await expect.poll(() => page.locator('.ending').textContent()).toMatch(/^running for/);
    await expect.poll(() => page.locator('.flow').textContent()).toMatch(/reviews.*[1-9]\d* rows/);
    const why = page.locator('section', { hasText: 'Why isn’t it faster?' });
    await expect.poll(() => why.textContent()).toMatch(/Waiting: \d+ requests? for a slot.*raise --concurrency/);
    const pause = page.getByRole('button', { name: 'Pause' });
    expect(await page.locator('#says-pause').textContent()).toContain('in flight');
    await pause.click();
    await expect.poll(() => page.locator('.ending').textContent()).toMatch(/^interrupted/);
    await expect.poll(() => page.locator('#says-resume').textContent()).toMatch(/costs at least \d+ requests?/);
    slow.setFaults([]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => page.locator('.ending').textContent()).toMatch(/^done/);
    expect(await stop()).toBe(0);
    await expect.poll(() => page.locator('.told').textContent()).toContain('server does not respond');
    expect(said.filter((text) => !text.includes('ERR_'))).toEqual([]);
    await leave(page);
  });

  it('tells that a run of another process was killed, and follows it when it is resumed', async ({ expect }) => {
    const folder = `${run.folder}-other`;
    await using slow = await slowSandbox();
    const argv = ['run', run.flow, '--out', folder, '--show', '--quiet', '--base-url', slow.url, '--concurrency'];
    const kill = await killable(...argv, '1');
    await expect.poll(() => existsSync(join(folder, 'reviews.jsonl.part'))).toBe(true);
    const { url: watching, stop } = await command('show', folder);
    const { page } = await open(watching);
    await expect.poll(() => page.locator('.ending').textContent()).toMatch(/^running for .* in process \d+/);
    expect(await page.locator('.buttons button').count()).toBe(0); // its own process has them
    await kill();
    await expect.poll(() => page.locator('.ending').textContent()).toMatch(/^lost: its process is gone/);
    expect(await page.locator('code.command').first().textContent()).toMatch(/^\S*.*run FLOW --out \S+$/);
    slow.setFaults([]);
    const again = await command(...argv, '8');
    await expect.poll(() => page.locator('.ending').textContent()).toMatch(/^done/);
    await Promise.all([again.stop(), stop()]);
    await leave(page);
  });
});
