import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, items, offsetPages } from '../../../operators/index.ts';
import { defineOperation, defineService } from '../../../src/index.ts';
import { fakeClient } from '../../../src/testing/index.ts';

const pagings = {
  page: { query: { from: '${page}' } },
  total: { query: { from: '${page}' }, total: 'total' },
  received: { query: { from: '${offset}' } },
  token: { query: { after: '${cursor}' }, next: 'next' },
  last: { query: { after: '${last.id}' } },
} as const;

const pages = 5;

/** The ads of each page, of which there are five with two rows each. */
const lists: { readonly [what: string]: (page: number) => readonly string[] | undefined } = {
  'other on each page': (page) => [`ad ${page}`],
  'longer than the pages': (page) => ['a', 'b', 'c'].map((ad) => `${ad} ${page}`),
  'the same on each page': () => ['ad'],
  'empty on one page': (page) => (page === 1 ? [] : [`ad ${page}`]),
  'absent on one page': (page) => (page === 1 ? undefined : [`ad ${page}`]),
  'only on the last page': (page) => (page === pages - 1 ? ['ad'] : []),
};

describe('leadingPage', () => {
  const cases = Object.keys(lists).flatMap((what) => Object.keys(pagings).map((paging) => [what, paging as keyof typeof pagings] as const));

  it.each(cases)('lets a walk that takes its rows from a list that is %s go on by its own (%s)', async (what, paging) => {
    const service = defineService({
      name: 'ads',
      operations: {
        search: defineOperation({
          get: '/search',
          params: { from: { type: 'integer' }, after: { type: 'string' } },
          response: { rows: [{ id: 'string' }], 'ads?': [{ id: 'string' }], 'next?': 'string|null', total: 'integer' },
          rows: 'rows',
          id: 'id',
          ...pagings[paging],
        }),
      },
    });
    const { client, requests } = fakeClient(service, ({ query }) => {
      const { from = 0, after } = query as { readonly from?: number; readonly after?: string };
      const page = paging === 'received' ? from / 2 : paging === 'last' ? Number(after ?? -1) + 1 : Number(after ?? from);
      if (!Number.isInteger(page)) throw new Error(`no page ${page}`);
      const isThere = page < pages;
      return {
        rows: isThere ? [{ id: `before ${page}` }, { id: String(page) }] : [],
        ads: isThere ? lists[what]!(page)?.map((id) => ({ id })) : [],
        next: page < pages - 1 ? String(page + 1) : null,
        total: pages * 2,
      };
    });
    const walk = (paging === 'token' || paging === 'last' ? expandCursor : offsetPages) as typeof expandCursor;
    const rows$ = of({}).pipe(walk(client.search as never, { rows: 'ads' }), items(), toArray());
    const ads = (await lastValueFrom(rows$)) as unknown as readonly { readonly id: string }[];
    await client.close();
    expect(ads.map(({ id }) => id)).toEqual(Array.from({ length: pages }, (_, page) => lists[what]!(page) ?? []).flat());
    expect(requests).toHaveLength(paging === 'token' ? pages : pages + 1);
  });
});
