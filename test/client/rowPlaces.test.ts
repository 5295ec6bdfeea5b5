import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { concatMap, from, lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, inject, it } from 'vitest';
import { expandCursor, items, originOf } from '../../operators/index.ts';
import { rowsAt } from '../../operators/walk/rowsAt.ts';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';
import { withoutOwnWords } from '../search/withoutOwnWords.ts';
import { runInProcess } from '../cli/runInProcess.ts';
import { startServer } from './startServer.ts';
import { outcome } from './testClient.ts';
import { DriftError } from '../../src/errors/index.ts';

const after = { type: 'string', about: 'The next page.' } as const;
const walked = { params: { after }, query: { after: '${cursor}' }, next: 'after' } as const;
const forum = defineService({
  name: 'forum',
  operations: {
    posts: defineOperation({
      ...walked,
      name: 'posts',
      get: '/posts',
      about: 'Posts: each is the data of an entry.',
      response: { after: 'string|null', data: { children: [{ kind: 'string', data: { id: 'string', score: 'integer' } }] } },
      rows: 'data.children[].data',
      id: 'id',
    }),
    lines: defineOperation({
      ...walked,
      name: 'lines',
      get: '/lines',
      about: 'Lines of orders: lists in a list.',
      response: { after: 'string|null', orders: [{ 'lines?': [{ id: 'string' }] }] },
      rows: 'orders[].lines',
      id: 'id',
    }),
    pages: defineOperation({
      ...walked,
      name: 'pages',
      get: '/pages',
      about: 'Pages by their number.',
      response: { after: 'string|null', query: { pages: { $map: { title: 'string' } } } },
      rows: 'query.pages',
      keyed: 'pageid',
      id: 'pageid',
    }),
    tags: defineOperation({
      ...walked,
      name: 'tags',
      get: '/tags',
      about: 'Tags: plain texts.',
      response: { after: 'string|null', tags: ['string'] },
      rows: 'tags',
      id: 'value',
    }),
    sold: defineOperation({
      ...walked,
      name: 'sold',
      get: '/sold',
      about: 'Lines, each with its order.',
      response: { after: 'string|null', orders: [{ id: 'integer', buyer: { name: 'string' }, lines: [{ id: 'string' }] }] },
      rows: 'orders[].lines',
      outer: { order: 'id', buyer: 'buyer.name' },
      id: 'id',
    }),
    edges: defineOperation({
      name: 'edges',
      get: '/edges',
      about: 'Nodes: the token stands beside the last one.',
      response: { edges: [{ cursor: 'string', node: { id: 'string' } }], more: 'boolean' },
      rows: 'edges[].node',
      outer: ['cursor'],
      query: { after: '${last.cursor}' },
      more: 'more',
      id: 'id',
    }),
    owners: defineOperation({
      name: 'owners',
      get: '/owners',
      about: 'A list, or one object.',
      params: { of: { type: 'string' } },
      response: { $oneOf: [[{ id: 'string' }], { id: 'string' }] },
      rows: '',
    }),
    rates: defineOperation({
      name: 'rates',
      get: '/rates',
      about: 'Rates by currency: the body is the object.',
      params: {},
      response: { $map: 'number' } as never,
      rows: '',
      keyed: 'currency',
    }),
  },
});

const pageOf: { readonly [path: string]: (page: number) => object } = {
  '/posts': (page) => ({ data: { children: [0, 1].map((i) => ({ kind: 't3', data: { id: `p${page}${i}`, score: i } })) } }),
  '/lines': (page) => ({ orders: [{ lines: [{ id: `l${page}0` }, { id: `l${page}1` }] }, {}, { lines: [{ id: `l${page}2` }] }] }),
  '/tags': (page) => ({ tags: [`t${page}0`, `t${page}1`] }),
  '/sold': (page) => ({ orders: [{ id: page, buyer: { name: 'Jo' }, lines: [{ id: `l${page}0` }, { id: `l${page}1` }] }] }),
  '/edges': (page) => ({ edges: [0, 1].map((i) => ({ cursor: String(page + i), node: { id: `n${page}${i}` } })), more: page < 2 }),
  '/pages': (page) => ({ query: { pages: { [`${page}0`]: { title: `T${page}0` }, [`${page}1`]: { title: `T${page}1` } } } }),
};

const ownersOf: { readonly [of: string]: unknown } = { many: [{ id: 'a' }, { id: 'b' }], one: { id: 'c' }, none: [] };

/** Three pages of everything, and the rates. Counts requests. */
async function serving() {
  const requests: string[] = [];
  const server = await startServer((request, response) => {
    requests.push(request.url!);
    const url = new URL(request.url!, 'http://forum');
    const page = Number(url.searchParams.get('after') ?? 0);
    const whole = { '/rates': { EUR: 1.1, USD: 1 }, '/owners': ownersOf[url.searchParams.get('of') ?? 'many'] }[url.pathname];
    const made = whole ?? pageOf[url.pathname]?.(page);
    if (made === undefined) response.writeHead(500);
    response.end(JSON.stringify(whole ?? { after: page === 2 ? null : String(page + 1), ...made }));
  });
  return { server, requests };
}

describe('the rows of a response', () => {
  it('are what each entry of a list holds, the entries of lists in a list, or the members of an object', async () => {
    const { server, requests } = await serving();
    await using _server = server;
    await using client = createClient({ service: forum, baseUrl: server.url, rate: 'unlimited' });
    const drift: unknown[] = [];
    client.events$.subscribe((event) => event.type === 'drift' && drift.push(event));
    const posts = await lastValueFrom(of({}).pipe(expandCursor(client.posts), items(), toArray()));
    expect(posts.map(({ id, score }) => `${id}:${score}`)).toEqual(['p00:0', 'p01:1', 'p10:0', 'p11:1', 'p20:0', 'p21:1']);
    expect(originOf(posts[0]!)?.columns.map(({ path }) => path)).toEqual(['id', 'score']);
    const lines = await lastValueFrom(of({}).pipe(expandCursor(client.lines), items(), toArray()));
    expect(lines.map(({ id }) => id)).toEqual(['l00', 'l01', 'l02', 'l10', 'l11', 'l12', 'l20', 'l21', 'l22']);
    const pages = await lastValueFrom(of({}).pipe(expandCursor(client.pages), items(), toArray()));
    expect(pages.map(({ pageid, title }) => `${pageid} ${title}`).toSorted()).toEqual(
      ['00 T00', '01 T01', '10 T10', '11 T11', '20 T20', '21 T21'].toSorted(),
    );
    expect(originOf(pages[0]!)?.columns.map(({ path }) => path)).toEqual(['pageid', 'title']);
    expect((await lastValueFrom(client.rates({}))).items).toEqual([
      { currency: 'EUR', value: 1.1 },
      { currency: 'USD', value: 1 },
    ]);
    const tags = await lastValueFrom(of({}).pipe(expandCursor(client.tags), items(), toArray()));
    expect(tags.map(({ value }) => value)).toEqual(['t00', 't01', 't10', 't11', 't20', 't21']);
    const sold = await lastValueFrom(of({}).pipe(expandCursor(client.sold), items(), toArray()));
    expect(sold.map(({ order, buyer, id }) => `${order}${buyer}${id}`)).toEqual([
      '0Jol00',
      '0Jol01',
      '1Jol10',
      '1Jol11',
      '2Jol20',
      '2Jol21',
    ]);
    const edges = await lastValueFrom(of({}).pipe(expandCursor(client.edges), items(), toArray()));
    expect(edges.map(({ cursor, id }) => cursor + id)).toEqual(['0n00', '1n01', '1n10', '2n11', '2n20', '3n21']);
    for (const [query, ids] of [
      [{}, ['a', 'b']],
      [{ of: 'one' }, ['c']],
      [{ of: 'none' }, []],
    ] as const)
      expect((await lastValueFrom(client.owners(query))).items.map(({ id }) => id)).toEqual(ids);
    expect([requests.length, drift]).toEqual([22, []]);
  });

  it.each(['posts', 'lines', 'pages', 'tags', 'sold', 'edges'] as const)(
    'of %s reach a file of a flow with all columns, each once',
    async (name) => {
      const { server, requests } = await serving();
      await using _server = server;
      const folder = join(inject('dist'), `places-${name}`);
      await mkdir(folder, { recursive: true });
      const { spec } = forum.operations[name];
      await writeFile(
        join(folder, 'forum.mjs'),
        `import { defineOperation, defineService } from '${inject('dist')}/bundle/index.js';
export default defineService({ name: 'forum', operations: { ${name}: defineOperation(${JSON.stringify(withoutOwnWords(spec))}) } });`,
      );
      const stage = { call: name, with: {}, pages: 'all', to: 'rows.csv' };
      await writeFile(join(folder, 'flow.json'), JSON.stringify({ name, service: './forum.mjs', stages: { [name]: stage } }));
      const env = { TRAWLER_BASE_URL: server.url };
      const run = await runInProcess(['run', join(folder, 'flow.json'), '--out', join(folder, 'out'), '--quiet'], { env });
      expect(run.code, run.stderr).toBe(0);
      const [heading, ...rows] = (await readFile(join(folder, 'out', 'rows.csv'), 'utf8')).trim().split(/\r?\n/);
      const headings = { posts: 'id,score', lines: 'id', pages: 'pageid,title', tags: 'value', sold: 'order,buyer,id', edges: 'cursor,id' };
      expect(heading).toBe(headings[name]);
      expect([rows.length, new Set(rows).size, requests.length]).toEqual(name === 'lines' ? [9, 9, 3] : [6, 6, 3]);
      await rm(folder, { recursive: true, force: true });
    },
  );

  it('are absent, not none, where the outer list or the object is missing', () => {
    expect(rowsAt({}, 'data.children[].data').list).toBe('absent');
    expect(rowsAt({ data: { children: [] } }, 'data.children[].data')).toEqual({ list: 'present', items: [], entries: 0 });
    expect(rowsAt({}, 'pages', { keyed: 'id' }).list).toBe('absent');
    expect(rowsAt({ pages: {} }, 'pages', { keyed: 'id' })).toEqual({ list: 'present', items: [] });
    expect(rowsAt({ pages: [{ a: 1 }] }, 'pages', { keyed: 'id' }).items).toEqual([{ a: 1 }]);
    expect(rowsAt({ a: [{ b: [{ c: [1, 2] }, { c: 3 }] }] }, 'a[].b[].c').items).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }]);
    expect(rowsAt({ day: 1, rates: { EUR: 2 } }, 'rates', { keyed: 'to', outer: ['day'] }).items).toEqual([
      { day: 1, to: 'EUR', value: 2 },
    ]);
    expect(rowsAt({ a: [{ id: 1, b: [5, { c: 6 }] }, { id: 2 }] }, 'a[].b', { outer: ['id', 'no'] }).items).toEqual([
      { id: 1, no: null, value: 5 },
      { id: 1, no: null, c: 6 },
    ]);
    expect(rowsAt([{ b: { id: 1 } }], '[].b').items).toEqual([{ id: 1 }]);
    expect(rowsAt({ pages: { 7: { id: 'own' } } }, 'pages', { keyed: 'id' }).items).toEqual([{ id: 'own' }]);
  });

  it.each([
    ['report', 3, undefined, [2, 1]],
    ['strict', 1, DriftError, [1]],
  ] as const)('tell of keys that a field of their own hides (%s)', async (validate, delivered, error, counts) => {
    const pages = [{ 7: { pageid: 7, title: 'T' } }, { 8: { pageid: 'own', title: 'T' } }, { 9: { pageid: 9 }, 10: { pageid: 'x' } }];
    await using server = await startServer((request, response) => {
      const after = new URL(request.url!, 'http://forum').searchParams.get('after')!;
      response.end(JSON.stringify({ after: null, query: { pages: pages[Number(after)] } }));
    });
    await using client = createClient({ service: forum, baseUrl: server.url, rate: 'unlimited', validate });
    const drift: unknown[] = [];
    client.events$.subscribe((event) => event.type === 'drift' && drift.push(...event.issues));
    const took = await outcome(from(['0', '1', '2']).pipe(concatMap((after) => client.pages({ after }))));
    const message = 'rows have pageid of their own, so their keys are lost, such as "8"; keyed must name another column';
    expect(drift[0]).toEqual({ path: 'query.pages.*.pageid', message });
    expect(took.values).toHaveLength(delivered);
    expect(took.error?.constructor).toBe(error);
    expect(client.drift().map(({ responses }) => responses)).toEqual(counts);
  });

  it.each([
    [{ rows: 'data..rows' }, "rows must be a path such as data.children[].data or '', or null"],
    [{ rows: 'rows', keyed: '' }, 'keyed must be the name of a column'],
    [{ rows: null, keyed: 'id' }, 'keyed needs rows'],
    [{ rows: 'a[].b', keyed: 'id' }, 'keyed is for the members of one object, so rows must have no []'],
    [
      { response: { rows: { $map: { 'id?': 'integer', title: 'string' } } } as never, keyed: 'id', rows: 'rows' },
      "keyed is 'id', which rows have already; name another column for their keys",
    ],
    [
      { response: { rows: { $map: 'number' } } as never, keyed: 'value', rows: 'rows' },
      "keyed is 'value', which rows have already; name another column for their keys",
    ],
    [{ rows: null, outer: ['a'] }, "outer needs rows inside of an object: a path such as 'orders[].lines', or 'lines'"],
    [{ rows: 'rows', outer: ['row'] }, "outer is 'row', but response has no row; did you mean rows?"],
    [
      { response: { rows: [{ id: 'string', sub: [{ id: 'string' }] }] } as never, rows: 'rows[].sub', outer: { row: 'di' } },
      "outer.row is 'di', but an entry of the outer list has no di; there is id, sub",
    ],
    [
      { response: { rows: [{ id: 'string', sub: [{ id: 'string' }] }] } as never, rows: 'rows[].sub', outer: ['id'] },
      "outer has the column 'id', which rows have already; name another one: outer: { another: 'id' }",
    ],
    [{ response: { rows: ['string'] } as never, rows: 'rows', id: 'valu' }, "id is 'valu', but a row has no valu; did you mean value?"],
  ])('are refused as %j', (more, message) => {
    const rows = {
      name: 'x',
      get: '/x',
      about: 'x',
      params: {},
      response: { rows: [{ id: 'string' }] },
    } as const;
    expect(() => defineOperation(Object.assign({ rows: 'rows' }, rows, more))).toThrow(`defineOperation(x): ${message}`);
  });

  it('are refused with what is needed where outer stands beside a row alone', () => {
    const list = { name: 'x', get: '/x', params: {}, rows: 'rows', row: { id: 'string' }, outer: ['station'] } as const;
    expect(() => defineOperation(list)).toThrow(
      "defineOperation(x): outer is 'station', which isn't in a row: write response, the shape of the whole data, in place of row",
    );
  });
});
