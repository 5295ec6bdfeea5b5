import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type * as operators from '../src/operators.ts';
import type * as bullmq from '../src/bullmq/index.ts';
import type * as flow from '../src/flow/index.ts';
import type * as trawler from '../src/index.ts';
import type * as sandbox from '../src/sandbox/index.ts';
import type * as sinks from '../src/sinks/index.ts';
import type * as store from '../src/store/index.ts';
import type * as proxy from '../src/proxy/index.ts';
import type * as testing from '../src/testing/index.ts';

interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
  /** What it prints: a block without a language right behind it. */
  readonly prints?: string;
}
interface Doors {
  readonly trawler: typeof trawler;
  readonly 'trawler/operators': typeof operators;
  readonly 'trawler/sinks': typeof sinks;
  readonly 'trawler/store': typeof store;
  readonly 'trawler/flow': typeof flow;
  readonly 'trawler/sandbox': typeof sandbox;
  readonly 'trawler/bullmq': typeof bullmq;
  readonly 'trawler/testing': typeof testing;
  readonly 'trawler/proxy': typeof proxy;
}
interface Blocks {
  readonly pagesWithBlocks: readonly string[];
  readonly renderBlocks: (dist: string, root: string) => Promise<ReadonlyMap<string, string>>;
  readonly renderCommands: (root: string) => Promise<string>;
  readonly withBlocks: (text: string, blocks: ReadonlyMap<string, string>) => string;
}
interface Reference {
  readonly renderReference: (api: Doors['trawler']) => ReadonlyMap<string, string>;
  readonly sampleQuery: (operation: object, api: Doors['trawler']) => object;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const pagesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(join(root, folder), { recursive: true })).filter((path) => path.endsWith('.md')).map((path) => `${folder}/${path}`);
const below = await pagesIn('docs');
const others = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'llms.txt',
  'skills/trawler/SKILL.md',
  'ARCHITECTURE.md',
  'AGENTS.md',
  'examples/README.md',
  'bench/README.md',
  ...(await pagesIn('operators')),
  ...(await pagesIn('src')),
];
const pages = [...others.filter((path) => existsSync(join(root, path))), ...below.toSorted()];
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), 'utf8')]));
/** The pages of the reference that are written by hand, but for their tables. */
const servicesPages = ['docs/reference/services.md', 'docs/reference/search-services.md'];
const guides = below.filter((page) => !page.startsWith('docs/reference/'));
const blocks = ['README.md', ...guides, ...servicesPages].flatMap(blocksOf);

function blocksOf(page: string): Block[] {
  const found = texts.get(page)!.matchAll(/^```(\w*)\n([\s\S]*?)^```\n(?:\n```\n([\s\S]*?)^```\n)?/gm);
  return [...found].map(([, language, code, prints]) => ({ page, language: language!, code: code!, ...(prints && { prints }) }));
}

const doors = [
  'trawler',
  'trawler/operators',
  'trawler/sinks',
  'trawler/store',
  'trawler/flow',
  'trawler/sandbox',
  'trawler/bullmq',
  'trawler/testing',
  'trawler/proxy',
] as const;

/** Where a door is in the compiled package. */
function urlOf(name: string): string {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: { readonly [door: string]: { readonly default: string } };
  };
  return pathToFileURL(join(inject('dist'), exports[name.replace('trawler', '.')]!.default.replace('./dist/', ''))).href;
}

const door = <Name extends keyof Doors>(name: Name): Promise<Doors[Name]> => import(urlOf(name)) as Promise<Doors[Name]>;
const reference = (): Promise<Reference> => import(join(root, 'scripts/reference.mjs')) as Promise<Reference>;

interface Schema {
  readonly properties?: { readonly [key: string]: Schema };
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** The keys of a schema with those inside them: `store.folder`. Names that a user chooses are `FIELD`, but those of stages. */
function keysIn({ properties = {}, additionalProperties, anyOf = [], allOf = [] }: Schema, inside: string): readonly string[] {
  const own = Object.entries(properties).flatMap(([key, schema]) => [`${inside}${key}`, ...keysIn(schema, `${inside}${key}.`)]);
  const chosen =
    typeof additionalProperties === 'object' ? keysIn(additionalProperties, inside === 'stages.' ? '' : `${inside}FIELD.`) : [];
  return [...new Set([...own, ...chosen, ...[...anyOf, ...allOf].flatMap((one) => keysIn(one, inside))])];
}

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchors of a page's headings, as they are made where the pages are read. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1]!);
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function deadLinks(page: string): string[] {
  const text = withoutCode(texts.get(page)!).replaceAll(/`[^`\n]*`/g, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!).filter((link) => !/^[a-z]+:/.test(link));
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : relative(root, resolve(root, dirname(page), path));
    if (!existsSync(join(root, target))) return true;
    if (anchor === undefined) return false;
    return !target.endsWith('.md') || !anchorsOf(readFileSync(join(root, target), 'utf8')).has(anchor);
  });
}

describe('docs', () => {
  it.each(pages)('%s has only links that lead somewhere', (page) => {
    expect(deadLinks(page)).toEqual([]);
  });

  it.each(['README.md', 'llms.txt'])('lead from %s to every guide', (index) => {
    const missing = below.filter((page) => dirname(page) === 'docs' && !texts.get(index)!.includes(`(${page})`));
    expect(missing).toEqual([]);
  });

  it.each(blocks.filter(({ language }) => language === 'json'))('$page has flows without a fault: $code', async ({ code }) => {
    const { checkFlow } = await door('trawler/flow');
    expect(checkFlow(JSON.parse(code), { source: code })).toEqual([]);
  });

  it('are at most fourteen pages of 30,000 words, without what is made from declarations', () => {
    const pages = below.filter((page) => dirname(page) === 'docs');
    const words = pages.flatMap((page) =>
      texts
        .get(page)!
        .replaceAll(/<!-- made: [^]*?<!-- \/made -->/g, '')
        .split(/\s+/)
        .filter(Boolean),
    );
    expect(pages.length).toBeLessThanOrEqual(14);
    expect(words.length).toBeLessThanOrEqual(30_000);
  });

  it('lead into no test and no decision, which are not in the package', () => {
    const links = guides
      .filter((page) => dirname(page) === 'docs')
      .flatMap((page) => texts.get(page)!.match(/\]\([^)]*(?:\btest\/|decisions\/)[^)]*\)/g) ?? []);
    expect(links).toEqual([]);
  });

  it('say what every field of a description means', () => {
    const rows = servicesPages.flatMap((page) => texts.get(page)!.split('\n')).filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([]);
  });

  it('have every key of a flow, every ending of a file and every word of a shape in a table', async () => {
    const keys = keysIn(JSON.parse(readFileSync(join(root, 'schema/flow.schema.json'), 'utf8')) as Schema, '');
    expect(keys).toContain('split.params');
    const { fileFormats } = await import('../src/sinks/formats/fileFormats.ts');
    const { leafWords, dollarWords } = await import('../src/contract/language/operationFields.ts');
    const wanted: readonly (readonly [string, readonly string[]])[] = [
      ['docs/flow-keys.md', keys],
      ['docs/files.md', Object.values(fileFormats).flatMap(({ endings }) => endings)],
      ['docs/reference/services.md', Object.keys({ ...leafWords, ...dollarWords })],
    ];
    for (const [page, words] of wanted) {
      const rows = texts.get(page)!.split('\n').filter((line) => line.startsWith('| `')); // prettier-ignore
      const missing = words.filter((word) => !rows.some((row) => row.split(' | ')[0]!.includes(`\`${word.replaceAll('|', '\\|')}\``)));
      expect(missing, page).toEqual([]);
    }
  });

  it.each(doors)('import from %s only what it exports', async (name) => {
    const exported = new Set(Object.keys(await door(name)));
    const imports = new RegExp(`import \\{([^}]+)\\} from '${name}'`, 'g');
    const named = [...texts.values()].flatMap((text) => [...text.matchAll(imports)]).flatMap((match) => match[1]!.split(','));
    const values = named.map((name) => name.trim()).filter((name) => name !== '' && !name.startsWith('type '));
    expect(values.filter((name) => !exported.has(name))).toEqual([]);
  });

  it.each(doors)('name everything that %s exports in llms.txt', async (name) => {
    const missing = Object.keys(await door(name)).filter((exported) => !new RegExp(`\`${exported}\\b`).test(texts.get('llms.txt')!));
    expect(missing).toEqual([]);
  });
});

describe('code in the guides', () => {
  let service: sandbox.Sandbox;
  let work: string;
  let modules: string;
  beforeAll(async () => {
    const { startSandbox } = await door('trawler/sandbox');
    service = await startSandbox();
    vi.stubEnv('TRAWLER_BASE_URL', service.url);
    vi.stubEnv('TRAWLER_API_KEY', service.apiKey);
    work = await mkdtemp(join(tmpdir(), 'trawler-docs-'));
    modules = join(inject('dist'), 'docs'); // from where rxjs is found
    await mkdir(modules, { recursive: true });
  });
  afterAll(async () => {
    process.chdir(root);
    vi.unstubAllEnvs();
    await service.close();
    await rm(work, { recursive: true, force: true });
    await rm(modules, { recursive: true, force: true });
  });

  const ready = blocks.filter(({ language, code }) => language === 'js' && !code.startsWith('// not run'));
  it.each(ready)('of $page runs and prints what it says: $code', async ({ page, code, prints }) => {
    const name = `${page.replaceAll('/', '-')}-${ready.findIndex((block) => block.code === code)}`;
    await mkdir(join(work, name));
    process.chdir(join(work, name));
    const file = join(modules, `${name}.mjs`);
    await writeFile(
      file,
      code.replaceAll(/from '(trawler[\w/]*)'/g, (_, name: string) => `from '${urlOf(name)}'`),
    );
    const log = vi.spyOn(console, 'log').mockReturnValue();
    try {
      await import(pathToFileURL(file).href);
      if (prints === undefined) return;
      await expect.poll(() => log.mock.calls.map((line) => `${format(...line)}\n`).join('')).toBe(prints);
    } finally {
      log.mockRestore();
    }
  });
});

describe('blocks that are made from declarations', async () => {
  const { pagesWithBlocks, renderBlocks, renderCommands, withBlocks } = (await import(join(root, 'scripts/madeBlocks.mjs'))) as Blocks;
  let made: ReadonlyMap<string, string>;
  beforeAll(async () => void (made = await renderBlocks(inject('dist'), root)));

  it.each(pagesWithBlocks)('of %s are what the declarations say; `npm run build && npm run docs` rewrites them', (page) => {
    const text = texts.get(page)!;
    expect(text).toContain('<!-- made: ');
    expect(withBlocks(text, made)).toBe(text);
  });

  it('has each command once in src/cli/commands.ts; `npm run docs` rewrites it', async () => {
    const commands = await renderCommands(root);
    expect(readFileSync(join(root, 'src/cli/commands.ts'), 'utf8')).toBe(commands);
    for (const file of await readdir(join(root, 'src/cli/commands'))) expect(commands).toContain(`./commands/${file}`);
  });

  it('stand in one page at least, each of them', () => {
    const there = pagesWithBlocks.flatMap((page) => [...texts.get(page)!.matchAll(/<!-- made: ([\w ]+) -->/g)].map((match) => match[1]!));
    expect([...made.keys()].filter((name) => !there.includes(name))).toEqual([]);
  });
});

describe('docs/reference', () => {
  it('is what the data of the operations says; `npm run docs` makes it anew', async () => {
    const { renderReference } = await reference();
    const made = renderReference(await door('trawler'));
    const there = await readdir(join(root, 'docs/reference'));
    expect(there.sort()).toEqual([...made.keys(), ...servicesPages.map((page) => basename(page))].sort());
    const operators = made.get('operators.md') ?? '';
    for (const [path, text] of made) {
      if (path === 'operators.md' || path === 'functions.md') continue; // made from comments, which change more often than it is made anew
      expect(await readFile(join(root, 'docs/reference', path), 'utf8')).toBe(text);
    }
    const { searchService } = await door('trawler');
    for (const name of ['expandCursor', 'items', 'toCsv', ...Object.keys(searchService.fanOuts)])
      expect(operators).toContain(`### ${name}\n`);
    const sectionOf = (title: string): string => operators.split(/^##+ /m).find((text) => text.startsWith(`${title}\n`)) ?? '';
    for (const title of ['expandCursor', 'offsetPages', 'Ready fan-outs'])
      expect(sectionOf(title)).toMatch(/\| `maxPages` \| Infinity \| \w/);
    const functions = made.get('functions.md') ?? '';
    for (const name of ['createClient', 'openStore', 'startSandbox', 'runFlow']) expect(functions).toContain(`### ${name}\n`);
    expect(functions).toMatch(/\| `retry\.maxAttempts` \| 5 \| \w/);
    expect(functions).toMatch(/\| `resume` \| true\b.*\| \w/);
  });

  it('has valid queries in its examples', async () => {
    const { sampleQuery } = await reference();
    const api = await door('trawler');
    for (const operation of Object.values(api.operations)) expect(api.checkQuery(operation, sampleQuery(operation, api))).toEqual([]);
  });
});
