import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLines } from './cli/runLines.ts';
import { startSerpApi } from './vendors/serpApi.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = readFileSync(join(root, 'README.md'), 'utf8');

/** Blocks of code, each with its language. docs.test.ts runs those in JavaScript and JSON. */
const blocks = Array.from(text.matchAll(/^```(\w*)\n([\s\S]*?)^```\n/gm), ([, language, code]) => ({ language: language!, code: code! }));
/** These two need a clone of their own; what the first of them prints is checked below. */
const install = 'npm install ../trawler/trawler-0.1.0.tgz rxjs\n';
const twoCommands = 'npm ci && npm start\nnpm ci && npm test\n';

describe('README.md', () => {
  let work: string;
  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'trawler-readme-'));
    await cp(join(root, 'examples/flows'), join(work, 'examples/flows'), { recursive: true });
    for (const { language, code } of blocks)
      if (language === 'json') await writeFile(join(work, `${(JSON.parse(code) as { readonly name: string }).name}.json`), code);
  });
  afterAll(() => rm(work, { recursive: true, force: true }));

  it('begins with what it is for, in one line, and the two commands of a clone', () => {
    expect(text).toMatch(/^# trawler\n\n(?:[^.`\n]+\.){1,5}\n\n/);
    expect(blocks[0]).toEqual({ language: 'sh', code: twoCommands });
    expect(blocks.find(({ code }) => code.startsWith(install))?.language).toBe('sh');
  });

  it('has code in no language that is not run', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['', 'js', 'json', 'sh']);
  });

  it('says what npm start prints', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly scripts: { readonly start: string } };
    const [ended] = await runLines([scripts.start.replace(/^.*dist\/bundle\/cli\.js/, 'trawler')], work);
    const said = blocks.find(({ code }) => code.startsWith('start: done'));
    // A run that takes longer than ten seconds also says how far it is.
    const anyTime = (printed: string): string =>
      printed
        .replaceAll(/^\d+ (?:s|min)\b.*: [\d,]+ requests \(.*\n/gm, '')
        .replace(/after [^;]+;/, 'after a while;')
        .trim();
    expect(anyTime(ended!.stdout + ended!.stderr)).toBe(anyTime(said!.code));
  });

  const commands = blocks.filter(({ language, code }) => language === 'sh' && code !== twoCommands);
  it.each(commands)('has commands that run: $code', async ({ code }) => {
    const lines = code.replace(install, '').replaceAll('npx trawler', 'trawler').trim().split('\n'); // it is installed
    await using vendor = await startSerpApi();
    const ended = await runLines(lines, work, { SERPAPI_API_KEY: vendor.key, SERPAPI_BASE_URL: vendor.url });
    expect(ended.map(({ code: of }) => of)).toEqual(lines.filter((line) => line.startsWith('trawler')).map(() => 0));
    for (const [, folder] of code.matchAll(/--out (\S+)/g)) expect(existsSync(join(work, folder!, 'datapackage.json'))).toBe(true);
  });

  // Written anew by `npx vitest run test/readme.test.ts --update`.
  it('shows its flow as the command draws it', async () => {
    const drawn = await readFile(join(work, 'plan.svg'), 'utf8');
    await expect(drawn).toMatchFileSnapshot(join(root, 'docs/plan.svg'));
  });
});

describe('the guides', () => {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');

  it('show only rooms that are there', () => {
    const rooms = [...read('CONTRIBUTING.md').matchAll(/^(\S+)\/ /gm)].map((match) => match[1]!);
    expect(rooms.length).toBeGreaterThan(10);
    expect(rooms.filter((room) => !existsSync(join(root, room)))).toEqual([]);
  });

  it('have a row for each operator', async () => {
    const exported = Object.keys((await import(join(root, 'src/operators.ts'))) as object);
    const text = read('docs/in-code.md');
    const missing = exported.filter((name) => !text.includes(`\`${name}\``));
    // What stands under the operators is for those who write one.
    const beneath = /^(create\w+Limit|DemandNode|currentDemand|withDemand|\w+Walk\w*|originOf|setOrigin)$/;
    expect(missing.filter((name) => !beneath.test(name))).toEqual([]);
  });

  it.each(['--update', '--repair', '--allow-read', '--store DIR', '--replay DIR', '`trawler store', '`trawler schema', '129'])(
    'tell of %s on the page of the command',
    (what) => expect(read('docs/cli.md')).toContain(what),
  );
});
