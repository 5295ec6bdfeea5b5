import { lastValueFrom, toArray } from 'rxjs';
import { expect, it } from 'vitest';
import { items } from '../operators/index.ts';
import { createClient, defineOperation, defineService, type ClientEvent } from '../src/index.ts';
import { startServer } from './client/startServer.ts';

const search = defineOperation({
  get: '/search',
  params: {},
  response: { rows: [{ id: 'integer' }] },
  rows: 'rows',
});
const service = defineService({ name: 'deep', operations: { search } });

it('a row that nests too deeply fails alone, and a drift event tells of it', async () => {
  const deep = '['.repeat(300) + ']'.repeat(300);
  await using server = await startServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(`{"rows":[{"id":1},{"id":2,"x":${deep}},{"id":3}]}`);
  });
  await using client = createClient({ service, baseUrl: server.url });
  const events: ClientEvent[] = [];
  client.events$.subscribe((event) => events.push(event));
  expect(await lastValueFrom(client.search({}).pipe(items(), toArray()))).toEqual([{ id: 1 }, { id: 3 }]);
  const drift = events.filter(({ type }) => type === 'drift');
  expect(drift).toMatchObject([{ operation: 'search', skipped: 1, raw: 'nests deeper than 256 levels' }]);
});
