import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { checkFlow } from '../src/flow/index.ts';
import { type Sandbox, startSandbox } from '../src/sandbox/index.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const text = readFileSync(join(root, 'README.md'), 'utf8');

interface Block {
  readonly language: string;
  readonly code: string;
  /** What it prints: a block without a language right behind it. */
  readonly prints?: string;
}

function blocksOf(markdown: string): Block[] {
  const found = [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```\n(?:\n```\n([\s\S]*?)^```\n)?/gm)];
  return found.map(([, language, code, prints]) => ({ language: language!, code: code!, ...(prints && { prints }) }));
}

const blocks = blocksOf(text);
const inLanguage = (language: string): Block[] => blocks.filter((block) => block.language === language);
/** These two need a clone of their own; what the first of them prints is checked below. */
const twoCommands = 'npm ci && npm start\nnpm ci && npm test\n';

describe('README.md', () => {
  let sandbox: Sandbox;
  let modules: string;
  let work: string;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    sandbox = await startSandbox();
    work = await mkdtemp(join(tmpdir(), 'trawler-readme-'));
    // Beside the dependencies, so that a block finds rxjs, and the package by its name.
    modules = join(root, `node_modules/.readme-${process.pid}`);
    const self = join(modules, 'node_modules/trawler');
    await mkdir(self, { recursive: true });
    await copyFile(join(root, 'package.json'), join(self, 'package.json'));
    await symlink(inject('dist'), join(self, 'dist'));
    await writeFile(join(modules, 'trawler'), `#!/bin/sh\nexec '${process.execPath}' '${inject('dist')}/bundle/cli.js' "$@"\n`);
    await chmod(join(modules, 'trawler'), 0o755);
    env = {
      ...process.env,
      PATH: `${modules}:${process.env['PATH']}`,
      TRAWLER_BASE_URL: sandbox.url,
      TRAWLER_API_KEY: sandbox.apiKey,
    };
    await cp(join(root, 'examples/flows'), join(work, 'examples/flows'), { recursive: true });
    for (const { code } of inLanguage('json')) {
      await writeFile(join(work, `${(JSON.parse(code) as { readonly name: string }).name}.json`), code);
    }
  });
  afterAll(async () => {
    await sandbox.close();
    await rm(work, { recursive: true, force: true });
    await rm(modules, { recursive: true, force: true });
  });

  it('begins with what it is, how to install it, and the two commands of a clone', () => {
    expect(text).toMatch(/^# trawler\n\n(?:[^.`]+\.){1,3}\n\n```sh\n/);
    expect(blocks[0]!.code).toMatch(/^npm install trawler rxjs\n/);
    expect(blocks[1]).toEqual({ language: 'sh', code: twoCommands });
  });

  it('has code in no language that is not run here', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['', 'js', 'json', 'sh']);
  });

  it('says what npm start prints', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly scripts: { readonly start: string } };
    const command = scripts.start.split('dist/bundle/cli.js ')[1]!;
    const { stdout, stderr } = await run('sh', ['-c', `trawler ${command}`], { cwd: work, env });
    const said = blocks.find(({ code }) => code.startsWith('start: done'));
    // A run that takes longer than ten seconds also says how far it is.
    const anyTime = (printed: string): string =>
      printed
        .replaceAll(/^\d+ (?:s|min)\b.*: [\d,]+ requests \(.*\n/gm, '')
        .replace(/after [^;]+;/, 'after a while;')
        .trim();
    expect(anyTime(stdout + stderr)).toBe(anyTime(said!.code));
  });

  it.each(inLanguage('js'))('has JavaScript that runs and prints what it says: $code', async ({ code, prints }) => {
    const file = join(modules, 'block.mjs');
    await writeFile(file, code);
    const { stdout, stderr } = await run(process.execPath, [file], { cwd: work, env });
    expect(stderr).toBe('');
    expect(stdout).toBe(prints ?? stdout);
  });

  it.each(inLanguage('json'))('has a flow without a fault: $code', ({ code }) => {
    expect(checkFlow(JSON.parse(code), { source: code })).toEqual([]);
  });

  it.each(inLanguage('sh').filter(({ code }) => code !== twoCommands))('has commands that run: $code', async ({ code, prints }) => {
    const here = code.replace('npm install trawler rxjs\n', '').replaceAll('npx trawler', 'trawler'); // it is installed
    const { stdout } = await run('sh', ['-euc', here], { cwd: work, env });
    expect(stdout).toBe(prints ?? stdout);
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
    const text = read('docs/operators.md');
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
