import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.ts';
import { freePort } from '../freePort.ts';

const guide = readFileSync(fileURLToPath(new URL('../../docs/cost.md', import.meta.url)), 'utf8');
const code = /```js\n(\/\/ not run: a file of tests[\s\S]*?)```/.exec(guide)![1]!;

/** What the file of tests needs of vitest: runs its tests, then what comes after all. */
const stub = `
const tests = [], after = [];
const it = (name, test) => tests.push(test), afterAll = (work) => after.push(work);
const { expect } = globalThis.fixtureTest;
`;

describe('the fixture of the guide', () => {
  let work: string;
  let modules: string;
  const folder = process.cwd();
  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'fixtures-'));
    modules = join(inject('dist'), 'fixtures');
    mkdirSync(modules, { recursive: true });
    process.chdir(work);
  });
  afterEach(() => {
    process.chdir(folder);
    vi.unstubAllEnvs();
    rmSync(work, { recursive: true, force: true });
    rmSync(modules, { recursive: true, force: true });
  });

  let runs = 0;
  const run = async (): Promise<void> => {
    const doors: { readonly [name: string]: string } = {
      trawler: 'src',
      'trawler/operators': 'src/operators.js',
      'trawler/store': 'src/store',
    };
    const urlOf = (name: string): string => {
      const path = doors[name]!;
      return pathToFileURL(join(inject('dist'), path.endsWith('.js') ? path : `${path}/index.js`)).href;
    };
    const linked = code
      .replace(/import .* from 'vitest';/, stub)
      .replaceAll(/from '(trawler[\w/]*)'/g, (_, name: string) => `from '${urlOf(name)}'`);
    const file = join(modules, `run-${runs++}.mjs`);
    writeFileSync(file, `${linked}\nfor (const test of tests) await test();\nfor (const work of after) await work();\n`);
    Object.assign(globalThis, { fixtureTest: { expect } });
    await import(pathToFileURL(file).href);
  };
  const files = (): { readonly [name: string]: string } =>
    Object.fromEntries(readdirSync('fixtures').map((name) => [name, readFileSync(join('fixtures', name)).toString('base64')]));

  it('is recorded once, replays without network and key, and has the same bytes when it is recorded again', async () => {
    const port = await freePort();
    const first = await startSandbox({ now: () => Date.UTC(2026, 0, 1), port });
    const record = async (): Promise<void> => {
      vi.stubEnv('RECORD', '1');
      vi.stubEnv('TRAWLER_BASE_URL', first.url);
      vi.stubEnv('TRAWLER_API_KEY', first.apiKey);
      await run();
      vi.unstubAllEnvs();
    };
    await record();
    await first.close();
    const recorded = files();
    expect(Object.keys(recorded)).toEqual(['000001.idx', '000001.warc.gz']);

    await run();
    expect(files()).toEqual(recorded);

    rmSync('fixtures', { recursive: true });
    await using again = await startSandbox({ now: () => Date.UTC(2026, 0, 1), port });
    await record();
    expect(again.requests).toHaveLength(2);
    expect(files()).toEqual(recorded);
  });
});
