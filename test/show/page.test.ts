import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { shownRun } from './shownRun.ts';

const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
// oxlint-disable-next-line no-console -- a test that is left out says so
if (path === undefined) console.log('the page of trawler show: skipped, there is no chromium (Debian: apt install chromium)');

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const flags = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';

describe.skipIf(path === undefined)('the page of trawler show', () => {
  let browser: Browser;
  let run: Awaited<ReturnType<typeof shownRun>>;
  let service: Sandbox;
  let url: string;
  const children: ChildProcess[] = [];

  /** Starts the command, and gives the address that it prints. */
  async function command(...args: readonly string[]): Promise<{ readonly url: string; readonly child: ChildProcess }> {
    const env = { ...process.env, TRAWLER_BASE_URL: service.url, TRAWLER_API_KEY: service.apiKey };
    const child = spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let said = '';
    const found = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        said += chunk.toString();
        const address = /http:\/\/\S+\?token=\S+/.exec(said)?.[0];
        if (address !== undefined) resolve(address);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
    });
    return { url: found, child };
  }

  async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** A page that notes what the browser complains about, and which addresses it asks. */
  async function open(
    address: string,
    options: Parameters<Browser['newPage']>[0] = {},
  ): Promise<{ page: Page; said: string[]; asked: Set<string> }> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
    const said: string[] = [];
    const asked = new Set<string>();
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    await page.goto(address);
    return { page, said, asked };
  }

  beforeAll(async () => {
    [service, run, browser] = await Promise.all([
      startSandbox({ latencyMs: 60 }),
      shownRun(),
      chromium.launch({ executablePath: path as string, args: flags }),
    ]);
    await writeFile(join(run.folder, 'failures.jsonl'), `${JSON.stringify({ stage: hostile, error: { message: hostile } })}\n`);
    ({ url } = await command('show', run.folder));
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(children.map((child) => stop(child, 'SIGKILL')));
    await service?.close();
    await run?.remove();
  });

  for (const { width, colorScheme } of [
    { width: 1280, colorScheme: 'light' },
    { width: 375, colorScheme: 'dark' },
  ] as const) {
    it(`is accessible and fits ${width} pixels in a ${colorScheme} theme, with every view and dialog`, async () => {
      const { page, said, asked } = await open(url, { viewport: { width, height: 800 }, colorScheme });
      await page.evaluate(axe);
      const views = {
        '#now': '.flow',
        '#data': '.rows tbody tr',
        '#data?file=places.jsonl&row=1': 'dialog .fields',
        '#changes': '.empty',
        '#runs': 'tbody tr',
      };
      for (const [view, ready] of Object.entries(views)) {
        await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
        await page.locator(ready).first().waitFor();
        const { violations } = (await page.evaluate('axe.run()')) as {
          readonly violations: readonly { id: string; nodes: readonly { html: string }[] }[];
        };
        expect([view, violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)]).toEqual([view, []]);
        expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, width]);
      }
      expect(said).toEqual([]);
      expect([...asked]).toEqual([new URL(url).origin]);
      await page.close();
    });
  }

  it('finds the places without a phone number, and keeps the view in its address', async () => {
    const { page } = await open(`${url}#data`);
    await page.locator('thead button', { hasText: /^phone$/ }).click();
    const filled = await page.locator('dialog .tiles dd').first().textContent();
    const [, some, all] = /^(\d+) of (\d+)/.exec(filled!)!;
    await page.getByRole('button', { name: 'Rows without it' }).click();
    await expect.poll(() => page.locator('.count').textContent()).toContain(`of ${Number(all) - Number(some)}`);
    const { page: copy } = await open(page.url());
    await expect.poll(() => copy.locator('.count').textContent()).toContain(`of ${Number(all) - Number(some)}`);
    expect(await copy.locator('.chips li').textContent()).toContain('phone is empty');
    await page.close();
    await copy.close();
  });

  it('leads from a place to its reviews and back, with the keyboard alone', async () => {
    const { page } = await open(`${url}#data?file=places.jsonl`);
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('Enter');
    const title = await page.locator('dialog .fields dd').first().textContent();
    const reviews = page.locator('dialog section', { hasText: 'Its reviews' }).getByRole('link', { name: /^All/ });
    await reviews.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.chips').textContent()).toContain(`place is ${title}`);
    await page.locator('.rows[aria-busy=false] tbody td', { hasText: title! }).first().waitFor();
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog section', { hasText: 'Its row of places' }).getByRole('link').first().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog').count()).toBe(0);
    await page.close();
  });

  it('shows what rows contain as text', async () => {
    const { page, said } = await open(`${url}#data?file=failures.jsonl&row=0`);
    await expect.poll(() => page.locator('dialog .fields').first().textContent()).toContain(hostile);
    expect(await page.title()).toBe('Data – trawler');
    expect(await page.locator('main img, dialog img').count()).toBe(0);
    expect(said).toEqual([]);
    await page.close();
  });

  it('follows a run, pauses it and resumes it', async () => {
    const { url: live, child } = await command('run', run.flow, '--out', `${run.folder}-live`, '--show', '--quiet', '--concurrency', '2');
    const { page, said } = await open(live);
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/^town: running for/);
    await expect.poll(() => page.locator('.flow').textContent()).toMatch(/reviews.*[1-9]\d* rows/);
    expect(await page.locator('section', { hasText: 'Why isn’t it faster?' }).locator('li').first().textContent()).toContain(
      'slots are in use',
    );
    const pause = page.getByRole('button', { name: 'Pause' });
    expect(await page.locator('#says-pause').textContent()).toContain('in flight');
    await pause.click();
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/^town: interrupted/);
    await expect.poll(() => page.locator('#says-resume').textContent()).toMatch(/costs at least \d+ requests?/);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/^town: done/);
    await stop(child);
    expect(child.exitCode).toBe(0);
    await expect.poll(() => page.locator('.told').textContent()).toContain('connection is lost');
    expect(said.filter((text) => !text.includes('ERR_'))).toEqual([]);
    await page.close();
  });

  it('tells that a run of another process was killed, and follows it when it is resumed', async () => {
    const folder = `${run.folder}-other`;
    const start = () => command('run', run.flow, '--out', folder, '--show', '--quiet', '--concurrency', '1');
    const { child } = await start();
    await expect.poll(() => existsSync(join(folder, 'reviews.jsonl.part'))).toBe(true);
    const { url: watching, child: watcher } = await command('show', folder);
    const { page } = await open(watching);
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/^town: running for .* in process \d+/);
    expect(await page.getByRole('button', { name: 'Pause' }).isDisabled()).toBe(true);
    await stop(child, 'SIGKILL');
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/^town: lost\. Its process is gone/);
    const { child: again } = await start();
    await expect.poll(() => page.locator('h1').textContent()).toMatch(/^town: done/);
    await Promise.all([stop(again), stop(watcher)]);
    await page.close();
  });
});
