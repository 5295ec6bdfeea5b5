import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium } from './launchChromium.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the site of the documents', () => {
  let site: string;
  beforeAll(async () => {
    site = await mkdtemp(join(tmpdir(), 'trawler-site-'));
    execFileSync(process.execPath, [join(root, 'scripts/site.mjs'), site], { cwd: root });
  });
  afterAll(() => rm(site, { recursive: true, force: true }));

  it('has a page for each document, code in colours with a copy button, and the contents of each long page', async () => {
    const page = await readFile(join(site, 'docs/getting-started.html'), 'utf8');
    expect(page).toContain('<button type="button" class="copy">Copy</button>');
    expect(page).toContain('<span class="keyword">import</span>');
    expect(page).toMatch(/<aside aria-label="On this page">.*<a href="#/);
  });

  it('leads from an operator to its diagram and its text', async () => {
    expect(await readFile(join(site, 'index.html'), 'utf8')).toContain('href="docs/reference/operators.html#expandcursor"');
    const operators = await readFile(join(site, 'docs/reference/operators.html'), 'utf8');
    expect(operators).toMatch(/id="expandcursor"[\s\S]*?marbles\/expandCursor\.svg[\s\S]*?<td[^>]*><code>maxPages<\/code>/);
  });

  it('lists every guide beside each page', async () => {
    const page = await readFile(join(site, 'index.html'), 'utf8');
    const listed = [...page.slice(0, page.indexOf('</nav>')).matchAll(/href="docs\/([\w-]+)\.html"/g)].map(([, name]) => `${name}.md`);
    const guides = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(listed.toSorted()).toEqual(['index.md', ...guides].toSorted());
  });

  describe.skipIf(!hasChromium)('in a browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());

    it('is searched with /', async () => {
      const page = await browser.newPage();
      await page.goto(pathToFileURL(join(site, 'docs/operators.html')).href);
      await page.keyboard.press('/');
      await page.keyboard.type('expandCursor');
      const first = page.locator('.search li a').first();
      await first.waitFor();
      expect(await first.getAttribute('href')).toBe('../docs/reference/operators.html#expandcursor');
      await page.fill('.search input', 'resume');
      await expect.poll(() => first.getAttribute('href')).toMatch(/^\.\.\/docs\/resuming\.html/);
      await page.close();
    });

    it('copies code to the clipboard', async () => {
      const page = await browser.newPage();
      await page.goto(pathToFileURL(join(site, 'index.html')).href);
      const code = page.locator('.code').first();
      await code.hover();
      await code.locator('.copy').click();
      await page.locator('.copy', { hasText: 'Copied' }).waitFor();
      await page.locator('.search input').focus();
      await page.keyboard.press('Control+V');
      expect((await page.locator('.search input').inputValue()).replace(/\s+/g, ' ')).toBe(
        "npm install trawler rxjs npx trawler init coffee --call mapsSearch --query coffee --ll '@40.74,-73.98,14z' --each placeReviews",
      );
      await page.close();
    });

    it('shows the results of a search above the code, and no code is cut on a narrow screen', async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(pathToFileURL(join(site, 'index.html')).href);
      await page.keyboard.press('/');
      await page.keyboard.type('limit');
      await page.locator('.search li a').first().waitFor();
      const isAbove = `(() => {
        const list = document.querySelector('.search ol').getBoundingClientRect();
        const code = document.querySelector('.code pre').getBoundingClientRect();
        const hit = document.elementFromPoint((code.left + list.right) / 2, (code.top + code.bottom) / 2);
        return code.left < list.right && code.top < list.bottom && hit.closest('.search') !== null;
      })()`;
      expect(await page.evaluate(isAbove)).toBe(true);
      for (const name of ['index.html', 'docs/your-own-service.html', 'docs/flows.html']) {
        await page.goto(pathToFileURL(join(site, name)).href);
        const cut = await page.evaluate("[...document.querySelectorAll('pre')].filter((pre) => pre.scrollWidth > pre.clientWidth).length");
        expect(cut, name).toBe(0);
      }
      await page.close();
    });

    it('fits a phone', async () => {
      const page = await browser.newPage({ viewport: { width: 375, height: 800 } });
      for (const name of ['index.html', 'docs/cli.html', 'docs/reference/operators.html']) {
        await page.goto(pathToFileURL(join(site, name)).href);
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(375);
        const painted = await page.evaluate(`[...document.querySelectorAll('.code')].filter((block) =>
          block.querySelector('code').getBoundingClientRect().top < block.querySelector('.copy').getBoundingClientRect().bottom).length`);
        expect(painted, `buttons over code of ${name}`).toBe(0);
      }
      await page.close();
    });
  });
});
