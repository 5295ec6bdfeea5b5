import { expectTypeOf } from 'vitest';
import type { QueryOf } from '../../src/contract/index.ts';
import { defineOperation, defineService } from '../../src/contract/index.ts';
import { createClient } from '../../src/createClient.ts';

const row = { id: 'string', day: 'string' } as const;
const changed = defineOperation({
  post: '/changed',
  body: { filter: [{ field: 'updated', value: '${since-1s:seconds}' }] },
  params: { shelf: { type: 'string', required: true } },
  rows: 'rows',
  row,
  time: 'day',
});
expectTypeOf<QueryOf<typeof changed.spec>>().toEqualTypeOf<{ readonly shelf: string; readonly since?: string | undefined }>();

const bounded = defineOperation({
  get: '/sales',
  query: { start: '${from}', end: '${to+1d:date}' },
  most: '31d',
  rows: 'rows',
  row,
  time: 'day',
});
expectTypeOf<QueryOf<typeof bounded.spec>>().toEqualTypeOf<{ readonly from: string; readonly to: string }>();

const daily = defineOperation({ get: "/daily/${from:'YYYY/MM/DD'}", rows: 'rows', row });
expectTypeOf<QueryOf<typeof daily.spec>>().toEqualTypeOf<{ readonly from: string }>();

const optional = defineOperation({ get: '/orders', query: { between: '${from}..${to}' }, rows: 'rows', row, time: 'day' });
expectTypeOf<QueryOf<typeof optional.spec>>().toEqualTypeOf<{ readonly from?: string | undefined; readonly to?: string | undefined }>();

const none = defineOperation({
  get: '/none',
  query: { q: '${now-7d}', since: 'ever' },
  params: { shelf: { type: 'string' } },
  rows: 'rows',
  row,
});
expectTypeOf<QueryOf<typeof none.spec>>().toEqualTypeOf<{ readonly shelf?: string | undefined }>();

const service = defineService({ name: 'sales', operations: { changed, bounded, none } });
const client = createClient({ service, baseUrl: 'http://127.0.0.1:1', apiKey: 'x' });
client.changed({ shelf: 'a', since: '2026-01-31' });
client.bounded({ from: '2026-01-01', to: '2026-01-31' });
// @ts-expect-error a time is a text
client.changed({ shelf: 'a', since: 7 });
// @ts-expect-error it can't do without bounds
client.bounded({ from: '2026-01-01' });
// @ts-expect-error no text names it
client.none({ since: '2026-01-31' });
