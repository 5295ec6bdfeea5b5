import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../src/search/index.ts';

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
`;

const wrong = `import { of } from 'rxjs';
import { createClient } from 'trawler';
import { expandCursor, offsetPages } from 'trawler/operators';
import { defineFlow } from 'trawler/flow';
import { toCsv } from 'trawler/sinks';
const client = createClient();
expandCursor(client.mapsSearch);
of({ query: 'coffee', qery: 'tea' }).pipe(offsetPages(client.mapsSearch));
defineFlow({ name: 'x', stages: { places: { call: 'mapsSearch', with: { query: 'coffee', qery: 'tea' } } } });
client.mapsSearch({ query: 'coffee' }).pipe(toCsv('x.csv'));
`;

const own = `import { of, type Observable } from 'rxjs';
import { createClient, defineOperation, defineService, type RowOf } from 'trawler';
import { expandCursor, items } from 'trawler/operators';
const service = defineService({
  name: 'library',
  operations: {
    books: defineOperation({
      path: '/books',
      params: { subject: { type: 'string', required: true }, next: { type: 'string' } },
      response: { results: [{ id: 'string', title: 'string' }], next: 'string|null' },
      list: 'results',
      paging: { kind: 'cursor', param: 'next', at: ['next'], address: true },
    }),
    editions: defineOperation({
      path: '/editions/{id}',
      params: { id: { type: 'string', required: true }, page: { type: 'integer' } },
      response: { rows: [{ isbn: 'string' }] },
      list: 'rows',
      paging: { kind: 'offset', param: 'page', first: 1, step: 1 },
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
    const files = { 'crawl.ts': crawl, 'own.ts': own };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    for (const name of ['crawl.mts', 'crawl.cts']) await writeFile(join(folder, name), crawl);
    await writeFile(join(folder, 'wrong.ts'), wrong);
    await writeFile(join(folder, 'same.ts'), sameTypes());
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { strict: true, module: 'nodenext', types: ['node'] }, include: Object.keys(files) }),
    );
    editor = await startEditor(folder, files);
  });
  afterAll(async () => {
    editor.close();
    await rm(folder, { recursive: true, force: true });
  });

  // All ways on all versions, and each of our types: npm run package.
  it.each([
    ['of 2024', olderTsc, 'node16', []],
    ['of today', tsc, 'nodenext', ['same.ts']],
  ])(
    'compile as they are in a TypeScript %s, from ES modules and from CommonJS, and say in few words what is wrong',
    (_, compiler, module, more) => {
      const options = {
        module,
        skipLibCheck: compiler !== tsc,
        lib: 'es2023,esnext.disposable',
        ...(compiler === tsc && { ignoreConfig: true }),
      };
      const errors = compile(compiler, options, 'crawl.mts', 'crawl.cts', 'wrong.ts', ...more);
      const causes = errors.split(/^(?=\S)/m).map((error) => error.trimEnd().split('\n').at(-1)!.replace(/^.*error TS\d+: /, '').trim()); // prettier-ignore
      expect(causes, errors).toEqual([
        expect.stringMatching(/^Type '"offset"' is not assignable to type '(?=.*"cursor")(?=.*"last")(?=.*"merge")/),
        "Type 'string' is not assignable to type 'NoSuchParameter<\"qery\">'.",
        "Type 'string' is not assignable to type 'NoSuch<\"qery\">'.",
        expect.stringMatching(/^Type '.*\[\]' is not assignable to type '"write items\(\) before the sink"'\.$/),
      ]);
      expect(errors).not.toMatch(/LastPaging|'never'/);
    },
  );

  it('show short names and the text of each parameter in an editor', async () => {
    const hovers = await editor.at('crawl.ts', hoverAt, [
      'mapsSearch({',
      'page) =>',
      'page$ =',
      "query: 'coffee' });\npage$",
      'title));',
      'user.reviews',
      'MapsReviewsPage):',
    ]);
    const [mapsSearch, page, page$, query, title, user, reviewsPage] = hovers;
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
    const query = '{ readonly next?: string | undefined; readonly subject: string; }';
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

type Request = <T>(method: string, params: object) => Promise<T>;

async function hoverAt(request: Request, at: object): Promise<string> {
  const hover = await request<{ readonly contents: unknown } | null>('textDocument/hover', at);
  return hover === null ? 'nothing' : JSON.stringify(hover.contents).replaceAll('\\n', '\n');
}

async function completionsAt(request: Request, at: object): Promise<readonly string[]> {
  const found = await request<{ readonly items: readonly { readonly label: string }[] } | null>('textDocument/completion', at);
  return found?.items.map(({ label }) => label.replace(/\?$/, '')) ?? [];
}

/** TypeScript's language server with these files open, which takes as long to start as to compile them. */
async function startEditor(folder: string, texts: { readonly [name: string]: string }) {
  const server = spawn(process.execPath, [tsc, '--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const responses = new Map<number, (result: unknown) => void>();
  let received = Buffer.alloc(0);
  const send = (message: object): void => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    server.stdin.write(body);
  };
  server.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(received.toString('utf8', 0, end))?.[1]);
      if (end < 0 || received.length < end + 4 + length) return;
      const message = JSON.parse(received.toString('utf8', end + 4, end + 4 + length)) as {
        id?: number;
        method?: string;
        result?: unknown;
      };
      received = received.subarray(end + 4 + length);
      if (message.id === undefined) continue;
      if (message.method !== undefined) send({ id: message.id, result: null });
      else responses.get(message.id)?.(message.result);
    }
  });
  let id = 0;
  const request: Request = (method, params) =>
    new Promise((resolve) => {
      responses.set((id += 1), resolve as (result: unknown) => void);
      send({ id, method, params });
    });
  const uriOf = (name: string): string => pathToFileURL(join(folder, name)).href;
  await request('initialize', { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {} });
  send({ method: 'initialized', params: {} });
  for (const [name, text] of Object.entries(texts))
    send({ method: 'textDocument/didOpen', params: { textDocument: { uri: uriOf(name), languageId: 'typescript', version: 1, text } } });
  return {
    close: () => server.kill(),
    /** What it answers at the beginning of each of `places`. */
    at: <T>(name: string, ask: (request: Request, at: object) => Promise<T>, places: readonly string[]): Promise<readonly T[]> =>
      Promise.all(
        places.map((place) => {
          const before = texts[name]!.slice(0, texts[name]!.indexOf(place)).split('\n');
          const position = { line: before.length - 1, character: before.at(-1)?.length };
          return ask(request, { textDocument: { uri: uriOf(name) }, position });
        }),
      ),
  };
}
