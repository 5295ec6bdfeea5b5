import { expectTypeOf } from 'vitest';
import type { RowOf } from '../../src/contract/index.ts';
import { defineOperation } from '../../src/contract/index.ts';

const common = { path: '/x', about: 'x', params: {}, paging: { kind: 'none' } } as const;
const posts = defineOperation({
  ...common,
  name: 'posts',
  response: { data: { children: [{ data: { id: 'string' } }] } },
  list: 'data.children[].data',
});
expectTypeOf<RowOf<typeof posts.spec>>().toEqualTypeOf<{ readonly id: string }>();
const lines = defineOperation({
  ...common,
  name: 'lines',
  response: { orders: [{ 'lines?': [{ id: 'integer' }] }] },
  list: 'orders[].lines',
});
expectTypeOf<RowOf<typeof lines.spec>>().toEqualTypeOf<{ readonly id: number }>();
const pages = defineOperation({
  ...common,
  name: 'pages',
  response: { pages: { $map: { title: 'string' } } },
  list: 'pages',
  keyed: 'pageid',
});
expectTypeOf<RowOf<typeof pages.spec>>().toEqualTypeOf<{ readonly pageid: string; readonly title: string }>();
