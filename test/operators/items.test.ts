import { from, toArray, type OperatorFunction } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { items, originOf, type ChildPage, type OriginColumn, type PageLike, type RowOrigin } from '../../operators/index.ts';
import { page, type FakePage } from './fakeFactory.ts';

const column = (path: string): OriginColumn => ({ path, keys: [path], type: 'string' });
const origin: RowOrigin = { operation: 'fake', columns: [column('id'), column('text')] };
const withOrigin = (rows: unknown[], query: object = {}): FakePage & { origin: RowOrigin } => ({ ...page(query, { rows }), origin });
const all = <Row>(pages: readonly PageLike[], operator: OperatorFunction<PageLike, Row>): Row[] => {
  let rows: Row[] = [];
  let failure: unknown;
  from(pages)
    .pipe(operator, toArray())
    .subscribe({ next: (seen) => (rows = seen), error: (error) => (failure = error) });
  if (failure !== undefined) throw failure;
  return rows;
};

describe('items', () => {
  it('emits the rows unchanged, page by page', () => {
    const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
    const rows = all([page({}, { rows: [a, b] }), page({}, { rows: [] }), page({}, { rows: [c] })], items());
    expect(rows[0]).toBe(a);
    expect(rows).toEqual([a, b, c]);
  });

  it('knows the origin of each row, without changing the row', () => {
    const row = Object.freeze({ id: 'a' });
    expect(originOf(all([withOrigin([row])], items())[0])).toBe(origin);
  });

  it('knows the origin of rows of another list, too', () => {
    const other: RowOrigin = { operation: 'fake', columns: [column('name')] };
    const ofList = (path: string): RowOrigin | undefined => (path === 'deep.list' ? other : undefined);
    const made = { ...page({}, { rows: [], data: { deep: { list: [{ name: 'n' }], more: [{}] } } }), origin: { ...origin, ofList } };
    expect(originOf(all([made], items({ rows: 'deep.list' }))[0])).toBe(other);
    expect(originOf(all([made], items({ rows: 'deep.more' }))[0])).toBeUndefined();
  });

  it('gives the rows of another list, none where it is null, or absent from a response without rows', () => {
    const data = { deep: { list: [1, 2] }, none: null };
    const pages = [page({}, { rows: [9], data })];
    expect(all(pages, items({ rows: 'deep.list' }))).toEqual([{ value: 1 }, { value: 2 }]);
    expect(all([page({}, { rows: [], data })], items({ rows: 'deep.other' }))).toEqual([]);
    const orders = page({}, { rows: [9], data: { orders: [{ lines: [1, 2] }, {}, { lines: [3] }] } });
    expect(all([orders], items({ rows: 'orders[].lines' }))).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }]);
    expect(() => all([orders], items({ rows: 'order[].lines' }))).toThrow("did you mean 'orders");
    expect(() => all(pages, items({ rows: 'deep.other' }))).toThrow("the response of fake has no list 'deep.other'; it has");
    expect(all(pages, items({ rows: 'none' }))).toEqual([]);
    expect(() => all(pages, items({ rows: 'deep' }))).toThrow(/deep in the response of fake is not a list/);
  });

  it('does not read what a response only inherits', () => {
    expect(all([page({}, { rows: [] })], items({ rows: 'constructor.prototype' }))).toEqual([]);
  });

  it('keeps columns of the query, the parent and a function, in front of the row’s own', () => {
    const child: ChildPage<FakePage, object> = Object.assign(withOrigin([{ id: 'a' }], { place: 'p' }), {
      parent: { title: 't', at: { n: 1 } },
    });
    const keep = { place: 'place', title: '$.title', n: '$.at.n', none: '$.nothing', size: (made: PageLike) => made.items.length } as const;
    const [row] = all([child], items({ keep }));
    expect(Object.entries(row!)).toEqual([
      ['place', 'p'],
      ['title', 't'],
      ['n', 1],
      ['none', undefined],
      ['size', 1],
      ['id', 'a'],
    ]);
    expect(originOf(row)?.columns.map(({ path, type }) => `${path} ${type}`)).toEqual([
      'place string',
      'title string',
      'n number',
      'none string',
      'size number',
      'id string',
      'text string',
    ]);
  });

  it('does not pass kept columns off for all there are, where the list has none that are documented', () => {
    const made = { ...withOrigin([{ id: 'a' }], { place: 'p' }), origin: { operation: 'fake', columns: [] } };
    expect(originOf(all([made], items({ keep: { place: 'place' } }))[0])).toBeUndefined();
  });

  it('fails rather than writing over a field of the row', () => {
    expect(() => all([page({ id: 'q' }, { rows: [{ id: 'a' }] })], items({ keep: { id: 'id' } }))).toThrow(
      /'id', which a row of fake has already/,
    );
  });

  it('fails when a kept column reads a parent that is not there, or a row is no object', () => {
    expect(() => all([page({}, { rows: [{}] })], items({ keep: { title: '$.title' } }))).toThrow(/no fan-out gave this page/);
    expect(() => all([page({}, { rows: ['text'] })], items({ keep: { column: 'q' } }))).toThrow(TypeError);
  });

  it('keeps a field that is called __proto__ as data', () => {
    const row = JSON.parse('{"__proto__":{"x":1}}') as object;
    const [made] = all([page({ q: 'q' }, { rows: [row] })], items({ keep: { q: 'q' } }));
    expect(Object.keys(made as object)).toEqual(['q', '__proto__']);
    expect((made as { readonly x?: number }).x).toBeUndefined();
  });

  it.each([{ rows: '' }, { keep: { column: '' as never } }, { keep: { column: '$.' as const } }, { keep: { column: 7 as never } }])(
    'refuses %o when it is called',
    (options) => {
      expect(() => items(options)).toThrow(RangeError);
    },
  );
});
