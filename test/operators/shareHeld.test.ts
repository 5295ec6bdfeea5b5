import { lastValueFrom, map, merge, of, range, tap, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, iterate, items, shareHeld } from '../../operators/index.ts';
import { fakeAdmission } from './fakeAdmission.ts';
import { cursorPaging, page, type FakeQuery } from './fakeFactory.ts';

describe('shareHeld', () => {
  it('subscribes once for all, and again after the end', async () => {
    let subscribed = 0;
    const shared = of(1, 2).pipe(tap({ subscribe: () => void (subscribed += 1) }), shareHeld());
    await lastValueFrom(merge(shared, shared).pipe(toArray()));
    expect(subscribed).toBe(2); // a source that ends at once ends before the second comes
    await lastValueFrom(shared);
    expect(subscribed).toBe(3);
  });

  it('is held by the slowest of its subscribers', async () => {
    const admission = fakeAdmission(2);
    const call = (query: FakeQuery) =>
      admission.request('page', () =>
        page(query, { rows: [{ n: query['cursor'] ?? 0 }], data: { next: String(Number(query['cursor'] ?? 0) + 1) } }),
      );
    const factory = Object.defineProperty(Object.assign(call, { paging: cursorPaging }), 'name', { value: 'pages' });
    const rows = range(1).pipe(
      map(() => ({ q: 'x' })),
      expandCursor(factory, { maxPages: 200 }),
      items(),
      shareHeld(),
    );
    let fast = 0;
    const done = lastValueFrom(rows.pipe(tap(() => (fast += 1))));
    let taken = 0;
    for await (const _ of iterate(rows, { ahead: 5 })) {
      taken += 1;
      for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
      expect(fast - taken).toBeLessThanOrEqual(7);
    }
    await done;
    expect([fast, taken]).toEqual([200, 200]);
  });
});
