import { expectTypeOf } from 'vitest';
import type { RowOf } from '../../src/contract/index.ts';
import { defineOperation } from '../../src/contract/index.ts';

const common = { get: '/x', about: 'x', params: {} } as const;
const posts = defineOperation({
  ...common,
  name: 'posts',
  response: { data: { children: [{ data: { id: 'string' } }] } },
  rows: 'data.children[].data',
});
expectTypeOf<RowOf<typeof posts.spec>>().toEqualTypeOf<{ readonly id: string }>();
const lines = defineOperation({
  ...common,
  name: 'lines',
  response: { orders: [{ 'lines?': [{ id: 'integer' }] }] },
  rows: 'orders[].lines',
});
expectTypeOf<RowOf<typeof lines.spec>>().toEqualTypeOf<{ readonly id: number }>();
const pages = defineOperation({
  ...common,
  name: 'pages',
  response: { pages: { $map: { title: 'string' } } },
  rows: 'pages',
  keyed: 'pageid',
});
expectTypeOf<RowOf<typeof pages.spec>>().toEqualTypeOf<{ readonly pageid: string; readonly title: string }>();
const tags = defineOperation({ ...common, name: 'tags', response: { tags: ['string'] }, rows: 'tags' });
expectTypeOf<RowOf<typeof tags.spec>>().toEqualTypeOf<{ readonly value: string }>();
const owners = defineOperation({ ...common, name: 'owners', response: { $oneOf: [[{ id: 'string' }], { id: 'string' }] }, rows: '' });
expectTypeOf<RowOf<typeof owners.spec>>().toEqualTypeOf<{ readonly id: string }>();
const sold = defineOperation({
  ...common,
  name: 'sold',
  response: { orders: [{ id: 'integer', buyer: { name: 'string' }, lines: [{ id: 'string' }] }] },
  rows: 'orders[].lines',
  outer: { order: 'id', buyer: 'buyer.name' },
});
expectTypeOf<RowOf<typeof sold.spec>>().toEqualTypeOf<{ readonly order: number; readonly buyer: string; readonly id: string }>();
const edges = defineOperation({
  ...common,
  name: 'edges',
  response: { edges: [{ cursor: 'string', node: { id: 'string' } }] },
  rows: 'edges[].node',
  outer: ['cursor'],
});
expectTypeOf<RowOf<typeof edges.spec>>().toEqualTypeOf<{ readonly cursor: string; readonly id: string }>();
