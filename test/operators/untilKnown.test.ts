import { concat, from, lastValueFrom, NEVER, of, take, throwError, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, untilKnown } from '../../operators/index.ts';
import type { PageLike } from '../../operators/PageLike.ts';
import { fakeClient } from '../flow/fakeClient.ts';

interface Row {
  readonly id: number;
  readonly at: string;
}
const page = (...ids: number[]): PageLike & { readonly items: readonly Row[] } => ({
  operation: 'x',
  query: {},
  data: {},
  items: ids.map((id) => ({ id, at: new Date(id * 1000).toISOString() })),
});
const idsOf = (pages: readonly { readonly items: readonly Row[] }[]): number[][] => pages.map(({ items }) => items.map(({ id }) => id));

describe('untilKnown', () => {
  it('ends the walk with the first page on which all rows are known, and remembers the new ones', async () => {
    const state = new Set([5, 4, 3, 2, 1]);
    const pages = await lastValueFrom(
      from([page(7, 6), page(5, 8), page(4, 3), page(2, 1)]).pipe(untilKnown({ id: 'id', state }), toArray()),
    );
    expect(idsOf(pages)).toEqual([[7, 6], [5, 8], [4, 3]]); // prettier-ignore
    expect(state).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]));
  });

  it('knows no row without an id, so a walk of such rows goes on', async () => {
    const state = new Set<unknown>();
    const pages = ['a', 'b'].map((text) => ({ operation: 'x', query: {}, data: {}, items: [{ id: null, text }, { text }] }));
    const walked = (): Promise<unknown[]> => lastValueFrom(from(pages).pipe(untilKnown({ id: 'id' as never, state }), toArray()));
    expect(await walked()).toHaveLength(2);
    expect(await walked()).toHaveLength(2);
    expect(state.size).toBe(0);
  });

  it('goes on over known rows that are too new', async () => {
    const state = new Set([5, 4, 3, 2, 1]);
    const since = { field: 'at' as const, time: new Date(3000) };
    const pages = await lastValueFrom(
      from([page(5, 4), page(3), page(2), page(1)]).pipe(untilKnown({ id: 'id', state, since }), toArray()),
    );
    expect(idsOf(pages)).toEqual([[5, 4], [3], [2]]);
  });

  it('ends inside a page whose rows stand in the order of time, if those behind the given time are known', async () => {
    const since = { field: 'at' as const, time: new Date(3000) };
    const walked = async (...pages: ReturnType<typeof page>[]): Promise<number[][]> => {
      const state = new Set([4, 3, 2, 1]);
      return idsOf(await lastValueFrom(from(pages).pipe(untilKnown({ id: 'id', state, since }), toArray())));
    };
    expect(await walked(page(6, 5, 2), page(1))).toEqual([[6, 5, 2]]);
    expect(await walked(page(6, 4, 5, 2), page(1))).toEqual([[6, 4, 5, 2], [1]]); // not in order
    expect(await walked(page(6, 5, 4), page(1))).toEqual([[6, 5, 4], [1]]); // not behind the time
    expect(await walked(page(6, 2, 0), page(1))).toEqual([[6, 2, 0], [1]]); // a row behind it is new
    expect(await walked(page(6, 2), page(1))).toEqual([[6, 2], [1]]); // two rows may be in order by chance
  });

  it('remembers nothing of a walk that fails or is left early, so that the next one finds the rows between', async () => {
    const state = new Set([2, 1]);
    const fails = concat(
      of(page(5, 4)),
      throwError(() => new Error('gone')),
    );
    await expect(lastValueFrom(fails.pipe(untilKnown({ id: 'id', state })))).rejects.toThrow('gone');
    await lastValueFrom(from([page(5, 4), page(3, 2)]).pipe(untilKnown({ id: 'id', state }), take(1)));
    expect(state).toEqual(new Set([2, 1]));
    const pages = from([page(5, 4), page(3, 2), page(2, 1)]).pipe(untilKnown({ id: 'id', state }), toArray());
    expect(idsOf(await lastValueFrom(pages))).toEqual([[5, 4], [3, 2], [2, 1]]); // prettier-ignore
    expect(state).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  it('lets an empty page, an error and the end through', async () => {
    const state = new Set<number>();
    expect(await lastValueFrom(of(page(), page(1), page()).pipe(untilKnown({ id: 'id', state }), toArray()))).toHaveLength(3);
    await expect(lastValueFrom(throwError(() => new Error('gone')).pipe(untilKnown({ id: 'id' as never, state })))).rejects.toThrow('gone');
    const never = NEVER.pipe(untilKnown({ id: 'id' as never, state })).subscribe();
    never.unsubscribe();
  });

  it('requests no page behind the known one', async () => {
    const client = fakeClient(({ query }) => {
      const at = Number(query['next_page_token'] ?? 0);
      return { reviews_results: [{ review_id: `${at}` }], next_page_token: String(at + 1) };
    });
    const factory = (client as unknown as { mapsReviews: never }).mapsReviews as Parameters<typeof expandCursor>[0];
    const walk = Object.defineProperties(factory, {
      paging: { value: { kind: 'cursor', param: 'next_page_token', at: ['next_page_token'] } },
    });
    const known = untilKnown<PageLike>({ id: (row) => (row as { review_id: string }).review_id, state: new Set(['3']) });
    expect(await lastValueFrom(of({ data_id: 'x' }).pipe(expandCursor(walk), known, toArray()))).toHaveLength(4);
    expect(client.asked).toHaveLength(4);
  });

  it('refuses invalid options', () => {
    expect(() => untilKnown({ id: '' as never, state: new Set() })).toThrow(RangeError);
    expect(() => untilKnown({ id: 'id' as never, state: undefined as never })).toThrow('state must be a Set');
    expect(() => untilKnown({ id: 'id' as never, state: new Set(), since: { field: 'at' as never, time: 'soon' } })).toThrow(
      "since.time must be a date, not 'soon'",
    );
  });
});
