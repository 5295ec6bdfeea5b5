import { from, lastValueFrom, of, take, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { offsetPages, untilMatch, type MatchEnd } from '../../operators/index.ts';
import { fakeFactory, offsetPaging, page } from './fakeFactory.ts';

const linksOf = (number: number): object[] => [1, 2, 3].map((row) => ({ link: `https://www.site${number * 3 + row}.com/` }));
const pages = [0, 1, 2].map((number) => page({}, { rows: linksOf(number) }));

describe('untilMatch', () => {
  it.each<[domain: string, ended: MatchEnd, pages: number]>([
    ['site5.com', { rank: 5, page: 2, rows: 6 }, 2],
    ['site1.com', { rank: 1, page: 1, rows: 3 }, 1],
    ['site10.com', { rows: 9 }, 3],
  ])('ends at the first page with %s, and says %j', async (domain, expected, count) => {
    const ends: MatchEnd[] = [];
    const walk$ = from(pages).pipe(untilMatch({ link: { domain } }, { ended: (end) => ends.push(end) }), toArray());
    expect(await lastValueFrom(walk$)).toEqual(pages.slice(0, count));
    expect(ends).toEqual([expected]);
  });

  it('sends no request after the one that had the row', async () => {
    const asked: object[] = [];
    const factory = fakeFactory({ ...offsetPaging, more: 'more' }, (query: { readonly page?: number }) => {
      asked.push(query);
      return of(page(query, { rows: linksOf(query.page ?? 0), data: { more: true } }));
    });
    await lastValueFrom(of({}).pipe(offsetPages(factory as never), untilMatch({ link: { domain: 'site5.com' } })));
    expect(asked).toHaveLength(2);
  });

  it('tells nothing of a walk that is left early', async () => {
    const ends: MatchEnd[] = [];
    await lastValueFrom(from(pages).pipe(untilMatch({ link: { domain: 'site9.com' } }, { ended: (end) => ends.push(end) }), take(1)));
    expect(ends).toEqual([]);
  });
});
