import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { defineOperation, defineService } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import { type FlowDefinition, runFlow } from '../src/flow/index.ts';
import { MemoryFileSystem } from './disk/MemoryFileSystem.ts';
import { bodyOf, startServer } from './client/startServer.ts';

const shop = defineService({
  name: 'shop',
  headers: { 'x-session': '${token}' },
  token: { post: '/login', body: { word: '${secret.secret}' }, at: 'token' },
  operations: {
    tags: defineOperation({
      get: '/tags',
      response: { tags: ['string'], after: 'string|null' },
      rows: 'tags',
      query: { after: '${cursor}' },
      next: 'after',
    }),
    lines: defineOperation({
      get: '/lines',
      response: { edges: [{ cursor: 'string', node: { id: 'string', n: 'integer' } }], more: 'boolean' },
      rows: 'edges[].node',
      outer: ['cursor'],
      query: { after: '${last.cursor}' },
      more: 'more',
    }),
    owners: defineOperation({
      get: '/owners',
      params: { of: { type: 'string', required: true } },
      response: { owner: { $oneOf: [[{ id: 'string' }], { id: 'string' }] } },
      rows: 'owner',
    }),
  },
});
const flow = {
  name: 'shop',
  service: shop,
  stages: {
    tags: { call: 'tags', pages: 'all', by: 'value', gone: 'drop', to: 'tags.jsonl' },
    lines: { call: 'lines', pages: 'all', by: 'id', gone: 'drop', to: 'lines.jsonl' },
    owners: { call: 'owners', each: 'tags', with: { of: '$.value' }, by: 'id', gone: 'drop', to: 'owners.jsonl' },
  },
} as const;

/** What there is on a day: some rows are new, some are changed, and some are gone. */
const numbersOf = (day: number): readonly number[] =>
  Array.from({ length: 12 }, (_, nth) => nth + day).filter((nth) => nth % 5 !== day % 5);
const ownersOf = (tag: string): unknown => [{ id: `one-${tag}` }, [], [{ id: `a-${tag}` }, { id: `b-${tag}` }]][Number(tag.slice(1)) % 3];

/** Takes each token for five requests, and a token that it has given alone. */
async function serving() {
  let today = 0;
  let token = '';
  let left = 0;
  const counts = { logins: 0, refused: 0 };
  const server = await startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://shop');
    const from = Number(searchParams.get('after') ?? 0);
    void bodyOf(request).then((body) => {
      const send = (value: unknown, status = 200): void => void response.writeHead(status).end(JSON.stringify(value));
      if (pathname === '/login') {
        if (body !== '{"word":"open-sesame"}') return send({}, 403);
        token = `session-${++counts.logins}`;
        left = 5;
        return send({ token });
      }
      if (request.headers['x-session'] !== token || left-- <= 0) {
        counts.refused++;
        return send({}, 401);
      }
      const page = numbersOf(today).slice(from, from + 4);
      const next = from + 4 < numbersOf(today).length;
      if (pathname === '/tags') return send({ tags: page.map((nth) => `t${nth}`), after: next ? String(from + 4) : null });
      if (pathname === '/owners') return send({ owner: ownersOf(searchParams.get('of')!) });
      const edges = page.map((nth, at) => ({ cursor: String(from + at + 1), node: { id: `l${nth}`, n: nth + Math.floor(today / 3) } }));
      send({ edges, more: next });
    });
  });
  return { server, counts, setDay: (day: number) => (today = day) };
}

describe('lists of any kind, behind a login', () => {
  it('bring after days of updates what a fresh crawl brings, each row once', async () => {
    const { server, counts, setDay } = await serving();
    await using _server = server;
    const kept = new MemoryFileSystem();
    const rowsAfter = async (fileSystem: MemoryFileSystem, update: boolean): Promise<readonly (readonly string[])[]> => {
      await using client = createClient({
        service: shop,
        baseUrl: server.url,
        secrets: { secret: 'open-sesame' },
        concurrency: 2,
        rate: 'unlimited',
      });
      const ended = await lastValueFrom(runFlow(flow as FlowDefinition, { client, outDir: '/out', fileSystem, update }));
      expect(ended).toMatchObject({ outcome: 'complete' });
      return Object.values(flow.stages).map(({ to }) =>
        String(fileSystem.disk.read(`/out/${to}`))
          .trim()
          .split('\n')
          .toSorted(),
      );
    };
    const days = process.env['TRAWLER_LONG'] === '1' ? 30 : 5;
    for (let day = 0; day <= days; day++) {
      setDay(day);
      const rows = await rowsAfter(kept, day > 0);
      expect(rows).toEqual(await rowsAfter(new MemoryFileSystem(), false));
      expect(rows[0]).toEqual(
        numbersOf(day)
          .map((nth) => JSON.stringify({ value: `t${nth}` }))
          .toSorted(),
      );
      expect(new Set(rows[1]).size).toBe(numbersOf(day).length);
    }
    expect(counts.refused).toBeGreaterThan(days);
    expect(counts.logins).toBeLessThanOrEqual(counts.refused + 2 * (days + 1));
  });
});
