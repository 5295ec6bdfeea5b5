import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../src/search/index.ts';
import { guideModules } from './guideModules.ts';
import { causeOf, completionsAt, hoverAt, startEditor } from './startEditor.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');
/** A TypeScript that still resolves modules as Node 10 did. */
const olderTsc = join(
  dirname(createRequire(createRequire(import.meta.url).resolve('@arethetypeswrong/core')).resolve('typescript')),
  '../bin/tsc',
);

const crawl = `import { of } from 'rxjs';
import { createClient, TrawlerError, type MapsReviewsPage } from 'trawler';
import { items, offsetPages, placeReviews } from 'trawler/operators';
import { defineFlow } from 'trawler/flow';
import { toCsv, toSink } from 'trawler/sinks';
const client = createClient();
const page$ = client.mapsSearch({ query: 'coffee' });
page$.subscribe((page) => console.log(page.items[0]?.title));
client.scholarAuthor({ author_id: 'x' }).subscribe(({ data }) => console.log(data.cited_by.table[0]?.citations?.all));
of({ query: 'coffee' }).pipe(offsetPages(client.mapsSearch), items(), placeReviews(client), items({ keep: { place: '$.title' } }), toCsv('x.csv'));
of({ query: 'coffee' }).pipe(offsetPages(client.mapsSearch), items({ keep: { city: 'query' } }));
export const toList = (list: unknown[]) =>
  toSink(() => ({ write: (rows) => list.push(...rows), finish: () => list.length, abort: () => list.splice(0) }));
export const talks = (page: MapsReviewsPage): number => page.items.filter((review) => review.user.reviews > 1).length;
export const flow = defineFlow({ name: 'x', stages: { places: { call: 'mapsSearch', with: { query: 'coffee' }, to: 'places.csv' } } });
export class OwnError extends TrawlerError {}
export const isOurs = (error: TrawlerError): boolean => error instanceof OwnError;
// @ts-expect-error there is no such parameter
client.mapsSearch({ qery: 'coffee' });
client.mapsSearch({ query: 'tea', ll: '@40.74,-73.98,14z' });
`;

const wrong = `import { from, of } from 'rxjs';
import { createClient } from 'trawler';
import { citingWorks, expandCursor, offsetPages, placeReviews } from 'trawler/operators';
import { defineFlow } from 'trawler/flow';
import { toCsv } from 'trawler/sinks';
const client = createClient();
expandCursor(client.mapsSearch);
of({ query: 'coffee', qery: 'tea' }).pipe(offsetPages(client.mapsSearch));
defineFlow({ name: 'x', stages: { places: { call: 'mapsSearch', with: { query: 'coffee', qery: 'tea' } } } });
client.mapsSearch({ query: 'coffee' }).pipe(toCsv('x.csv'));
client.mapsSearch({ query: 'coffee' }).pipe(placeReviews(client));
client.scholarSearch({ query: 'coffee' }).pipe(citingWorks(client));
from([{ querry: 'coffee' }]).pipe(offsetPages(client.mapsSearch));
`;

const own = `import { of, type Observable } from 'rxjs';
import { createClient, defineOperation, defineService, type RowOf } from 'trawler';
import { expandCursor, items } from 'trawler/operators';
const service = defineService({
  name: 'library',
  operations: {
    books: defineOperation({
      get: '/books',
      params: { subject: { type: 'string', required: true } },
      response: { results: [{ id: 'string', title: 'string' }], next: 'string|null' },
      rows: 'results',
      next: 'next',
    }),
    editions: defineOperation({
      get: '/editions/\${id}',
      params: { id: { type: 'string', required: true } },
      response: { rows: [{ isbn: 'string' }] },
      rows: 'rows',
      query: { page: '\${page:1}' },
    }),
  },
});
const client = createClient({ service });
const books = client.books;
const page$ = client.books({ subject: 'sea' });
page$.subscribe((page) => page.items);
of({ subject: 'sea' }).pipe(expandCursor(client.books), items()).subscribe((row) => row.title);
interface Book extends RowOf<typeof service.operations.books.spec> {}
const book$: Observable<Book> = of({ subject: 'sea' }).pipe(expandCursor(client.books), items());
book$.subscribe((book) => book.title);
`;

describe('the types of the installed package', () => {
  const guides = guideModules();
  let folder: string;
  let editor: Awaited<ReturnType<typeof startEditor>>;
  const compile = (compiler: string, options: object, ...files: readonly string[]): string => {
    try {
      const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const own = ['--noEmit', '--strict', '--target', 'es2023', '--types', 'node'];
      return execFileSync(process.execPath, [compiler, ...own, ...flags, ...files], { cwd: folder, encoding: 'utf8' });
    } catch (error) {
      return (error as { readonly stdout: string }).stdout;
    }
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trawler-types-'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(root, join(folder, 'node_modules/trawler'));
    for (const name of ['rxjs', '@types', 'undici-types']) {
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    const ours = { 'crawl.ts': crawl, 'own.ts': own, 'crawl.mts': crawl, 'crawl.cts': crawl, 'wrong.ts': wrong, 'same.ts': sameTypes() };
    const files = { ...ours, ...guides };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const strict = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
    const compilerOptions = { ...strict, module: 'nodenext', target: 'es2023', lib: ['es2023', 'esnext.disposable'], types: ['node'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: Object.keys(files) }));
    editor = await startEditor(folder, files);
  });
  afterAll(async () => {
    await editor.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('compile as strictly as TypeScript can check in each example of the guides', async () => {
    const files = Object.keys(guides);
    expect(files.length).toBeGreaterThan(35);
    const errors = files.map(async (name) => (await editor.errorsIn(name)).map((error) => `${name}: ${error}`));
    expect((await Promise.all(errors)).flat()).toEqual([]);
  });

  const causes = [
    expect.stringMatching(/^Type '"offset"' is not assignable to type '(?=.*"cursor")(?=.*"last")(?=.*"merge")/),
    'Type \'string\' is not assignable to type \'NoSuchParameter<"qery", "query">\'.',
    'Type \'string\' is not assignable to type \'NoSuch<"qery", "query">\'.',
    expect.stringMatching(/^Type '.*\[\]' is not assignable to type '"write items\(\) before the sink"'\.$/),
    expect.stringMatching(/^Type '.*\[\]' is not assignable to type '"write items\(\) before it"'\.$/),
    expect.stringMatching(/^Type '.*\[\]' is not assignable to type '"write items\(\) before it"'\.$/),
    "Property 'query' is missing in type '{ querry: string; }' but required in type 'MapsSearchQuery'.",
  ];

  it('compile from ES modules and from CommonJS, and say in few words what is wrong', async () => {
    const errors = await Promise.all(['crawl.mts', 'crawl.cts', 'same.ts', 'own.ts'].map((name) => editor.errorsIn(name)));
    expect(errors.flat()).toEqual([]);
    const wrong = await editor.errorsIn('wrong.ts');
    expect(wrong.map(causeOf)).toEqual(causes);
    expect(wrong.join('\n')).not.toMatch(/LastPaging|'never'/);
  });

  // All ways on all versions, and each of our types: npm run package.
  it.runIf(process.env['TRAWLER_LONG'] === '1').each([
    ['of 2024', olderTsc, 'node16'],
    ['of today', tsc, 'nodenext'],
  ])('compile as they are in a TypeScript %s', (_, compiler, module) => {
    const options = {
      module,
      skipLibCheck: compiler !== tsc,
      lib: 'es2023,esnext.disposable',
      ...(compiler === tsc && { ignoreConfig: true }),
    };
    const errors = compile(compiler, options, 'crawl.mts', 'crawl.cts', 'wrong.ts').split(/^(?=\S)/m);
    expect(errors.map(causeOf)).toEqual(causes);
  });

  it('show short names and the text of each parameter in an editor', async () => {
    const hovers = await editor.at('crawl.ts', hoverAt, [
      'mapsSearch({',
      'page) =>',
      'page$ =',
      "query: 'coffee' });\npage$",
      'title));',
      'user.reviews',
      'MapsReviewsPage):',
      "ll: '@",
    ]);
    const [mapsSearch, page, page$, query, title, user, reviewsPage, ll] = hovers;
    expect(ll, 'an @ that begins a tag').toContain('such as `@40.74,-73.98,14z`.');
    for (const hover of hovers) expect(hover.split('\n').length, hover).toBeLessThan(12);
    expect(mapsSearch).toContain('MapsSearchQuery');
    expect(page).toContain('page: MapsSearchPage');
    expect(page$).toContain('Observable<MapsSearchPage>');
    expect(query).toContain('query: string');
    expect(query).toMatch(/what to look for|search|text/i);
    expect(title).toContain('Place.title');
    expect(user).toContain('MapsReview.user: MapsReviewUser');
    expect(reviewsPage).toContain('interface MapsReviewsPage');
  });

  it('show what operations of your own service take and give, and not their description', async () => {
    const hovers = await editor.at('own.ts', hoverAt, [
      'client = ',
      'books;',
      'books({ subject',
      'page$ = ',
      'page) =>',
      'row) =>',
      'book) =>',
    ]);
    const [client, books, call, page$, page, row, book] = hovers.map((hover) => hover.replaceAll(/\s+/g, ' ').replaceAll('\\"', "'"));
    for (const hover of hovers) expect(hover).not.toMatch(/readonly (type|path|paging|list|kind|response)\b|string\|null/);
    const query = '{ readonly subject: string; }';
    const data = '{ readonly results: readonly { readonly id: string; readonly title: string; }[]; readonly next: string | null; }';
    const item = '{ readonly id: string; readonly title: string; }';
    expect(books).toContain(`OperationFactory<'books', ${query}, ${data}, ${item}, CursorPaging>`);
    expect(client).toContain(`readonly books: OperationFactory<'books', ${query}`);
    expect(client).toContain("readonly editions: OperationFactory<'editions', {");
    expect(call).toContain(`(query: ${query}, request?: PageRequest) => Observable<Page<'books', ${query}`);
    expect(page$).toContain(`Observable<Page<'books', ${query}, ${data}, ${item}>>`);
    expect(page).toContain(`page: Page<'books', ${query}, ${data}, ${item}>`);
    expect(row).toContain(`row: ${item}`);
    expect(book).toContain('book: Book');
  });

  it('complete the paths of keep: parameters of the query, and fields of the row that a page was requested for', async () => {
    const [path, param] = await editor.at('crawl.ts', completionsAt, ["$.title' }", "query' } }"]);
    expect(path).toEqual(expect.arrayContaining(['$.title', '$.data_id', '$.gps_coordinates.latitude']));
    expect(param).toEqual(expect.arrayContaining(['query', 'll']));
  });

  it('complete the keys that are known of an object with open ones', async () => {
    expect(await editor.at('crawl.ts', completionsAt, ['all));'])).toEqual([expect.arrayContaining(['all', 'since_2021'])]);
  });
});

/** For each operation, that the named types and those computed from its data can stand for each other. */
function sameTypes(): string {
  const pascal = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
  const names = Object.keys(operations).map(pascal);
  const each = names.map(
    (name) => `
declare const query${name}: ${name}Query, data${name}: ${name}Data;
export const q${name}: QueryOf<(typeof operations.${name.charAt(0).toLowerCase() + name.slice(1)})['spec']> = query${name};
export const r${name}: ${name}Query = q${name};
export const d${name}: DataOf<(typeof operations.${name.charAt(0).toLowerCase() + name.slice(1)})['spec']> = data${name};
export const e${name}: ${name}Data = d${name};`,
  );
  const imported = names.flatMap((name) => [`${name}Query`, `${name}Data`]);
  return `import type { DataOf, QueryOf, operations, ${imported.join(', ')} } from 'trawler';\n${each.join('\n')}\n`;
}
