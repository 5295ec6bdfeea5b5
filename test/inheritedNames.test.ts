import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, from, lastValueFrom, of, take, toArray, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import {
  byValues,
  distinctBy,
  expandCursor,
  fanOut,
  items,
  offsetPages,
  splitWhenFull,
  type CursorPaging,
  type OffsetPaging,
  type PageFactory,
  type PageLike,
} from '../operators/index.ts';
import { canonicalQuery, checkQuery, coerceQuery, defineOperation, defineService, queriesOf, requestPath } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import { checkFlow, planFlow, runFlow, type FlowDefinition } from '../src/flow/index.ts';
import { toCsv, toFile, toJsonl } from '../src/sinks/index.ts';
import { runInProcess } from './cli/runInProcess.ts';
import { startServer } from './client/startServer.ts';

/** Names that every object inherits. As names of parameters, fields and columns they are like any other. */
const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'] as const;

const text = (about: string) => ({ type: 'string', about }) as const;
const shapeOf = (name: string) => ({ rows: [{ id: 'string', [`${name}?`]: 'string' } as const], 'next?': 'string|null' }) as const;

/** A service whose operations have a parameter and a field of that name, and walk with a token or a page of that name. */
function serviceOf(name: string) {
  const params = { q: { ...text('what'), required: true }, [name]: text('anything') } as const;
  const shared = { params, response: shapeOf(name), rows: 'rows', about: 'For this test.' } as const;
  return defineService({
    name: 'odd',
    operations: {
      things: defineOperation({ ...shared, name: 'things', get: '/things' }),
      tokens: defineOperation({ ...shared, name: 'tokens', get: '/tokens', query: { [name]: '${cursor}' }, next: 'next' }),
      pages: defineOperation({
        ...shared,
        name: 'pages',
        get: '/pages',
        params: { ...params, [name]: { type: 'integer', about: 'the page' } },
        query: { [name]: '${page}' },
      }),
    },
    fanOuts: { more: { call: 'things', about: 'things of each thing', with: { q: '$.id', [name]: `$.${name}` } } },
  });
}

/** Two rows: the first lacks the field. The second page is the last one. */
function rowsOf(name: string, page: number): object[] {
  return [{ id: `${page}a` }, { id: `${page}b`, [name]: 'given' }];
}

type Rows = Observable<{ readonly id: string }>;
type OddPage = PageLike & { readonly items: readonly { readonly id: string }[] };
interface OddClient {
  readonly things: PageFactory<object, OddPage>;
  readonly tokens: PageFactory<object, OddPage, CursorPaging>;
  readonly pages: PageFactory<object, OddPage, OffsetPaging>;
  close(): Promise<void>;
}

async function idsOf(rows$: Rows): Promise<string[]> {
  return (await lastValueFrom(rows$.pipe(toArray()))).map(({ id }) => id);
}

async function startOddService(name: string) {
  const asked: string[] = [];
  const server = await startServer((request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    asked.push(url.pathname + url.search);
    const value = url.searchParams.get(name);
    const page = url.pathname === '/things' ? 0 : Number(value ?? 0);
    const rows = page > 1 ? [] : rowsOf(name, page);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ rows, next: url.pathname === '/tokens' && page < 1 ? String(page + 1) : null }));
  });
  const client = createClient({ service: serviceOf(name), baseUrl: server.url, rate: 'unlimited' }) as unknown as OddClient;
  return { server, client, asked, [Symbol.asyncDispose]: async () => (await client.close(), await server[Symbol.asyncDispose]()) };
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'trawler-names-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe.each(names)('a parameter, a field and a column called %s', (name) => {
  const { things } = serviceOf(name).operations;

  it('is checked, sent and told apart only when the query has it', () => {
    expect(checkQuery(things, { q: 'x' })).toEqual([]);
    expect(checkQuery(things, { q: 'x', [name]: 5 }).map(({ param }) => param)).toEqual([name]);
    expect(requestPath(things, { q: 'x' })).toBe('/things?q=x');
    expect(requestPath(things, { q: 'x', [name]: 'y' })).toBe(`/things?q=x&${name}=y`);
    expect(canonicalQuery(things, { q: 'x' })).toBe('q=x');
    expect(canonicalQuery(things, { q: 'x', [name]: 'y' })).toContain(`${name}=y`);
    expect(Object.entries(coerceQuery(serviceOf(name).operations.pages, { [name]: '3' }))).toEqual([[name, 3]]);
  });

  it('is not taken from a prototype', () => {
    expect(checkQuery(things, Object.create({ q: 'x' }) as object).map(({ param }) => param)).toEqual(['q']);
    expect(requestPath(things, Object.create({ q: 'x' }) as object)).toBe('/things');
  });

  it('is read by a fan-out only from rows that have it', () => {
    const spec = serviceOf(name).fanOuts.more;
    expect(queriesOf(spec, { id: 'a' })).toEqual([]);
    expect(queriesOf(spec, { id: 'a', [name]: 'b' }).map((query) => Object.entries(query))).toEqual([
      [
        ['q', 'a'],
        [name, 'b'],
      ],
    ]);
  });

  it('can be the token or the page of a walk', async () => {
    await using service = await startOddService(name);
    const { client, asked } = service;
    expect(await idsOf(of({ q: 'x' }).pipe(expandCursor(client.tokens), items()))).toEqual(['0a', '0b', '1a', '1b']);
    expect(asked).toEqual(['/tokens?q=x', `/tokens?q=x&${name}=1`]);
    asked.length = 0;
    expect(await idsOf(of({ q: 'x' }).pipe(offsetPages(client.pages, { lookahead: 2 }), items()))).toEqual(['0a', '0b', '1a', '1b']);
    expect(new Set(asked)).toContain('/pages?q=x');
  });

  it('is a key of operators only where a value has it', async () => {
    const rows = [...rowsOf(name, 0), ...rowsOf(name, 1)] as { readonly id: string; readonly [field: string]: string }[];
    expect(await idsOf(from(rows).pipe(distinctBy(name as 'id')))).toEqual(['0a', '0b', '1a']);
    expect(await idsOf(from(rows).pipe(fanOut((row) => of(row), { by: name as 'id' })))).toEqual(['0a', '0b', '1a']);
    await using service = await startOddService(name);
    const split = { split: byValues<object>(name, ['1']), full: 2 };
    await lastValueFrom(of({ q: 'x' }).pipe(splitWhenFull(expandCursor(service.client.tokens, { maxPages: 1 }), split), toArray()));
    expect(service.asked).toEqual(['/tokens?q=x', `/tokens?q=x&${name}=1`]);
  });

  it('is kept by items from a query that has it, and from a parent', async () => {
    await using service = await startOddService(name);
    const page = await firstValueFrom(service.client.things({ q: 'x' }));
    const [row] = await lastValueFrom(of(page).pipe(items({ keep: { own: name as never, [name]: () => 'mine' } }), take(1), toArray()));
    expect(Object.entries(row!).filter(([, value]) => value !== undefined)).toEqual([
      [name, 'mine'],
      ['id', '0a'],
    ]);
    const all = lastValueFrom(of(page).pipe(items({ keep: { [name]: () => 'mine' } }), toArray()));
    await expect(all).rejects.toThrow(`keep names '${name}'`); // the second row has a field of that name
  });

  it.each(['csv', 'jsonl', 'sqlite'])('is a column of a %s file', (ending) =>
    withFolder(async (folder) => {
      const path = join(folder, `rows.${ending}`);
      const sink = { csv: toCsv, jsonl: toJsonl, sqlite: toFile }[ending]!(path);
      await using service = await startOddService(name);
      const report = await lastValueFrom(service.client.things({ q: 'x' }).pipe(items(), sink));
      expect(report.rows).toBe(2);
      const made = { csv: `id,${name}\n0a,\n0b,given\n`, jsonl: `{"id":"0a"}\n{"id":"0b","${name}":"given"}\n`, sqlite: name }[ending];
      expect(await readFile(path, 'latin1')).toContain(made);
    }),
  );

  it('is a parameter, a kept column, a condition, a key and an expectation of a flow, that can be resumed', () =>
    withFolder(async (folder) => {
      await using service = await startOddService(name);
      const definition = {
        name: 'odd',
        service: serviceOf(name),
        stages: {
          things: { call: 'things', with: { q: 'x', [name]: ['y', 'z'] }, by: 'id', to: ['things.jsonl', 'things.csv'] },
          plain: {
            call: 'tokens',
            with: { q: 'x' },
            pages: 'all',
            by: ['id', name],
            where: { [name]: { exists: false } },
            to: 'plain.jsonl',
          },
          more: {
            call: 'things',
            each: 'things',
            with: { q: '$.id', [name]: `$.${name}` },
            keep: { q: '$.id', [`of_${name}`]: `$.${name}` },
            pick: ['id', name],
            expect: { filled: { [name]: 0.5 } },
            to: 'more.csv',
          },
          ready: { call: 'more', each: 'things', to: 'ready.jsonl' },
        },
      } as unknown as FlowDefinition;
      expect(checkFlow(definition)).toEqual([]);
      expect((await planFlow(definition)).stages).toHaveLength(4);
      const run = () => lastValueFrom(runFlow(definition, { client: service.client as never, outDir: folder }));
      const summary = await run();
      expect(summary).toMatchObject({ type: 'summary', outcome: 'complete' });
      const read = (file: string) => readFile(join(folder, file), 'utf8');
      expect(await read('things.csv')).toBe(`id,${name}\n0a,\n0b,given\n`);
      expect(await read('plain.jsonl')).toBe('{"id":"0a"}\n{"id":"1a"}\n');
      expect((await read('more.csv')).split('\n').slice(0, 3)).toEqual([`id,${name},q,of_${name}`, '0a,,0a,', '0b,given,0a,']);
      expect((await read('ready.jsonl')).split('\n')).toHaveLength(3); // only of the row that has it
      expect(service.asked.filter((path) => path.startsWith('/things?q=x'))).toEqual([`/things?q=x&${name}=y`, `/things?q=x&${name}=z`]);
      expect(await run()).toMatchObject({ type: 'summary', outcome: 'complete' });
    }));

  // a stage's name begins with a letter
  it.runIf(/^[a-z]/.test(name))('is a stage of a flow', () =>
    withFolder(async (folder) => {
      await using service = await startOddService(name);
      const definition = {
        name: 'odd',
        service: serviceOf(name),
        stages: {
          [name]: { call: 'things', with: { q: 'x' }, expect: { rows: { '>=': 1 } }, to: 'a.csv' },
          of: { call: 'things', each: name, with: { q: '$.id' }, to: 'b.jsonl' },
        },
      } as unknown as FlowDefinition;
      expect(await planFlow(definition)).toMatchObject({ stages: [{ name }, { name: 'of' }] });
      const summary = await lastValueFrom(runFlow(definition, { client: service.client as never, outDir: folder }));
      expect(summary).toMatchObject({ outcome: 'complete', stages: [{ rows: 2 }, { rows: 4 }] });
    }),
  );

  it('is a parameter on the command line', () =>
    withFolder(async (folder) => {
      await using service = await startOddService(name);
      const file = join(folder, 'odd.mjs');
      const spec = JSON.stringify({ ...serviceOf(name), fanOuts: {} });
      await writeFile(file, `export default JSON.parse(${JSON.stringify(spec)});`);
      const call = (...argv: string[]) =>
        runInProcess(['call', 'things', '--service', file, '--base-url', service.server.url, '--format', 'jsonl', ...argv]);
      expect(await call('--q', 'x')).toMatchObject({ code: 0, stdout: `{"id":"0a"}\n{"id":"0b","${name}":"given"}\n` });
      expect(await call('--q', 'x', `--${name}`, 'y')).toMatchObject({ code: 0 });
      expect(service.asked).toEqual(['/things?q=x', `/things?q=x&${name}=y`]);
    }));
});
