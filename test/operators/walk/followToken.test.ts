import { from, lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, items, offsetPages } from '../../../operators/index.ts';
import { readCount } from '../../../operators/walk/paging/followToken.ts';
import { cursorPaging, fakeFactory, offsetPaging } from '../fakeFactory.ts';

/** Three pages of two rows, each with what the service says of a number. */
const pageOf = (page: number, says: unknown): { readonly rows: object[]; readonly data: object } => ({
  rows: page < 3 ? [{ id: `${page}a` }, { id: `${page}b` }] : [],
  data: { says, next: page < 2 ? String(page + 1) : null },
});

describe('readCount', () => {
  it.each([
    [7, 7],
    [0, 0],
    ['7', 7],
    [-1, undefined],
    ['-1', undefined],
    [2.5, undefined],
    ['', undefined],
    ['about 7', undefined],
    [true, undefined],
    [null, undefined],
  ])('takes %j for %j', (value, count) => expect(readCount(value)).toBe(count));

  it.each([
    ['total', 6, 3],
    ['total', '6', 3],
    ['total', 0, 4],
    ['total', -1, 4],
    ['total', 1, 4],
    ['total', 100, 4],
    ['pages', 3, 3],
    ['pages', 0, 4],
    ['pages', -1, 4],
  ])('lets a walk by count whose %s is %j have all rows, for %i requests', async (field, says, requests) => {
    const factory = fakeFactory({ ...offsetPaging, [field]: 'says' }, ({ page = 0 }) => pageOf(Number(page), says));
    const rows = await lastValueFrom(of({}).pipe(offsetPages(factory), items(), toArray()));
    expect([rows.length, factory.asked.length]).toEqual([6, requests]);
  });

  it('lets a walk that a wrong number of one page would end go on', async () => {
    const factory = fakeFactory({ ...offsetPaging, total: 'says' }, ({ page = 0 }) => pageOf(Number(page), page === 1 ? 0 : 6));
    expect(await lastValueFrom(of({}).pipe(offsetPages(factory), items(), toArray()))).toHaveLength(6);
  });

  it.each([9, '9'])('tells of a claim of %j that is not met', async (says) => {
    const paged = fakeFactory(cursorPaging, (query) => pageOf(Number(query[cursorPaging.param] ?? 0), says));
    const factory = Object.assign(paged, { claims: { at: 'says' } });
    await lastValueFrom(from([{}]).pipe(expandCursor(factory), items(), toArray()));
    expect(factory.told).toMatchObject([{ type: 'short', got: 6, claimed: 9 }]);
  });
});
