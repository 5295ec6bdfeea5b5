import {
  concatMap,
  EMPTY,
  expand,
  filter,
  firstValueFrom,
  from,
  lastValueFrom,
  map,
  mergeMap,
  Observable,
  of,
  range,
  share,
  startWith,
  switchMap,
  tap,
  toArray,
  type OperatorFunction,
} from 'rxjs';
import { describe, expect, it } from 'vitest';
import {
  currentDemand,
  DemandNode,
  distinctBy,
  expandCursor,
  fanOut,
  items,
  iterate,
  mergeBounded,
  named,
  withDemand,
  type PageFactory,
} from '../../operators/index.ts';
import { demandProbe } from './demandProbe.ts';
import { cursorPaging, page, type FakePage, type FakeQuery } from './fakeFactory.ts';
import { fakeAdmission, type FakeAdmission } from './fakeAdmission.ts';

/** Pages of `rows` rows through an admission; `count` pages a query. */
function served(admission: FakeAdmission, name: string, count: number, rows = 1): PageFactory<FakeQuery, FakePage, typeof cursorPaging> {
  const call = (query: FakeQuery): Observable<FakePage> => {
    const number = Number(query['cursor'] ?? 1);
    return admission.request(`${name} ${query['q'] as string}.${number}`, () =>
      page(query, {
        rows: Array.from({ length: rows }, (_, row) => ({ id: `${name}${query['q'] as string}.${number}.${row}` })),
        data: number < count ? { next: String(number + 1) } : {},
      }),
    );
  };
  return Object.defineProperty(Object.assign(call, { paging: cursorPaging }), 'name', { value: name });
}
const queries = (n: number): Observable<FakeQuery> => range(n).pipe(map((q) => ({ q: String(q) })));

/** A sink that takes a row a task, and holds at ten. */
function slowSink<T>(): OperatorFunction<T, number> & { most: () => number } {
  let most = 0;
  const sink = (source: Observable<T>): Observable<number> =>
    new Observable((subscriber) => {
      const node = new DemandNode(currentDemand());
      let waiting = 0;
      let taken = 0;
      let over = false;
      const take = (): void => {
        if (waiting > 0) {
          waiting -= 1;
          taken += 1;
          if (waiting <= 5) node.release();
        }
        if (!over || waiting > 0) return void setImmediate(take);
        subscriber.next(taken);
        subscriber.complete();
      };
      setImmediate(take);
      withDemand(node, () =>
        source.subscribe({
          next() {
            waiting += 1;
            most = Math.max(most, waiting);
            if (waiting >= 10) node.hold();
          },
          error: (error: unknown) => subscriber.error(error),
          complete: () => void (over = true),
        }),
      );
    });
  return Object.assign(sink, { most: () => most });
}

describe('DemandNode', () => {
  it('knows its distance from the sink', () => {
    const sink = new DemandNode(undefined);
    expect([sink.depth, new DemandNode(new DemandNode(sink)).depth]).toEqual([0, 2]);
  });

  it('finds the nearest holder on the way to the sink', () => {
    const sink = new DemandNode(undefined);
    const far = new DemandNode(new DemandNode(sink));
    expect(far.holder()).toBeUndefined();
    sink.hold();
    expect(far.holder()).toBe(sink);
    far.hold();
    expect(far.holder()).toBe(far);
  });

  it('wakes each waiting listener once, and forgets cancelled ones', () => {
    const node = new DemandNode(undefined);
    let woken = 0;
    const waiting = (by: number) => ({ resume: () => void (woken += by), letGo: () => false });
    expect(node.holder()).toBeUndefined();
    node.hold();
    node.wait(waiting(1));
    node.wait(waiting(100))();
    node.release();
    node.release();
    expect(woken).toBe(1);
  });
});

describe('what is subscribed while a value is emitted', () => {
  /** Emits 0, 1, … to an operator that holds, through `plain`, and says what holds each of the streams that `plain` made. */
  function holdersOf(plain: (open: (n: number) => Observable<number>) => OperatorFunction<number, unknown>, count = 1) {
    const nodes: DemandNode[] = [];
    const open = (n: number): Observable<number> =>
      new Observable((subscriber) => {
        const node = currentDemand()!;
        nodes.push(node);
        // It sends its value later, as a client does.
        later.push(() => withDemand(node, () => (subscriber.next(n), subscriber.complete()), true));
      });
    const later: (() => void)[] = [];
    const rows = range(count).pipe(
      distinctBy((n) => n),
      plain(open),
    );
    const probe = demandProbe(rows);
    probe.hold();
    return { later, holders: () => nodes.map((node) => node.holder()?.name), depths: () => nodes.map(({ depth }) => depth) };
  }
  const promises = map((n: Observable<number>) => firstValueFrom(n));
  const cache: Promise<unknown>[] = [];

  it.each<[string, (open: (n: number) => Observable<number>) => OperatorFunction<number, unknown>]>([
    ['in a promise', (open) => (rows) => rows.pipe(map(open), promises)],
    ['for a cache', (open) => tap((n) => cache.push(firstValueFrom(open(n))))],
    ['by somebody else', (open) => tap((n) => open(n).subscribe())],
    ['in a pipe of its own', (open) => map((n) => firstValueFrom(of(n).pipe(mergeBounded(open))))],
    [
      'in front of more operators',
      (open) => (rows) =>
        rows.pipe(
          map(open),
          promises,
          named('later'),
          distinctBy((n) => n),
        ),
    ],
  ])('isn’t held if it is inside the value, %s', (_, plain) => {
    expect(holdersOf(plain, 2).holders()).toEqual([undefined, undefined]);
  });

  it.each<[string, (open: (n: number) => Observable<number>) => OperatorFunction<number, unknown>]>([
    ['mergeMap', (open) => mergeMap(open)],
    ['switchMap', (open) => switchMap(open)],
    ['mergeMap behind a filter', (open) => (rows) => rows.pipe(filter(() => true), mergeMap(open))], // prettier-ignore
    ['mergeMap that starts with something', (open) => mergeMap((n) => open(n).pipe(startWith(n)))],
    ['mergeMap of a pipe', (open) => mergeMap((n) => of(n).pipe(mergeBounded(open)))],
    ['expand', (open) => expand((n) => (n < 1 ? open(n + 1) : EMPTY))],
  ])('is held if it replaces the value: %s', (_, plain) => {
    const { holders, later } = holdersOf(plain);
    later.forEach((send) => send());
    expect(new Set(holders())).toEqual(new Set(['demandProbe']));
  });

  it('is held although another value goes on', () => {
    const { holders } = holdersOf((open) => mergeMap((n) => (n === 1 ? of(n) : open(n))), 3);
    expect(holders()).toEqual(['demandProbe', 'demandProbe']);
  });

  it('is as far from the sink as the value, however many followed one from the other', () => {
    const { later, depths, holders } = holdersOf((open) => expand((n) => open(n + 1)));
    for (let page = 0; page < 10_000; page++) later.shift()!();
    expect(new Set(depths())).toEqual(new Set([0]));
    expect(holders().at(-1)).toBe('demandProbe');
  });
});

describe('withDemand', () => {
  it('restores the scope even when the work throws', () => {
    expect(() =>
      withDemand(new DemandNode(undefined), () => {
        throw new Error('mine');
      }),
    ).toThrow('mine');
    expect(currentDemand()).toBeUndefined();
  });
});

describe('demand', () => {
  it('lets children go before more parents, whatever plain operators stand in between', async () => {
    const admission = fakeAdmission(1);
    const rows = queries(3).pipe(
      expandCursor(served(admission, 'parent', 2)),
      tap(),
      items(),
      filter(() => true),
      map(({ id }) => ({ q: id as string })),
      expandCursor(served(admission, 'child', 1)),
      items(),
    );
    await lastValueFrom(rows);
    expect(admission.sent.slice(0, 4).map((name) => name.split(' ')[0])).toEqual(['parent', 'child', 'parent', 'child']);
  });

  it('reaches requests that a plain mergeMap makes', async () => {
    const admission = fakeAdmission(1);
    const depths: (number | undefined)[] = [];
    const rows = queries(2).pipe(
      expandCursor(served(admission, 'parent', 2)),
      mergeMap(({ query }) => {
        depths.push(currentDemand()?.depth);
        return admission.request(`plain ${query['q'] as string}`, () => ({ q: 'x' }));
      }),
      mergeBounded((value) => of(value)),
    );
    await lastValueFrom(rows);
    expect(new Set(depths)).toEqual(new Set([0]));
  });

  it('keeps the backlog near its mark, however many parents there are', async () => {
    const admission = fakeAdmission(4);
    let waiting = 0;
    let most = 0;
    const rows = queries(400).pipe(
      expandCursor(served(admission, 'parent', 3, 20)),
      items(),
      tap(() => (most = Math.max(most, (waiting += 1)))),
      fanOut((row) => admission.request('child', () => row), { concurrency: 4 }),
      tap(() => (waiting -= 1)),
    );
    expect(await lastValueFrom(rows.pipe(toArray()))).toHaveLength(400 * 3 * 20);
    // The mark, and what the four requests in flight bring.
    expect(most).toBeLessThanOrEqual(100 + 4 * 20);
  });

  it('stops everything above a slow sink', async () => {
    const admission = fakeAdmission(4);
    const sink = slowSink();
    const rows = queries(50).pipe(
      expandCursor(served(admission, 'parent', 2)),
      items(),
      map(({ id }) => ({ q: id as string })),
      expandCursor(served(admission, 'child', 2)),
      items(),
      sink,
    );
    expect(await lastValueFrom(rows)).toBe(200);
    expect(sink.most()).toBeLessThanOrEqual(10 + 4);
  });

  it('also keeps plain streams from being opened', async () => {
    const sink = slowSink();
    const plainly = fanOut((n: number) => from(Promise.resolve(n)), { concurrency: 2 });
    expect(await lastValueFrom(range(100).pipe(plainly, sink))).toBe(100);
    expect(sink.most()).toBeLessThanOrEqual(12);
  });

  it('sends no request while a loop’s body runs', async () => {
    const admission = fakeAdmission(4);
    const pages = queries(1).pipe(expandCursor(served(admission, 'parent', 9)));
    let turns = 0;
    for await (const _ of iterate(pages)) {
      turns += 1;
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      expect(admission.sent).toHaveLength(turns);
      if (turns === 4) break;
    }
    expect([admission.sent.length, admission.waiting()]).toEqual([4, 0]);
  });

  it('is lost across a user’s own slow operator, but not across fanOut', async () => {
    const depths: (number | undefined)[] = [];
    const slowly = (n: number): Promise<number> => new Promise((resolve) => setImmediate(() => resolve(n)));
    const seeDepth = mergeMap((n: number) => (depths.push(currentDemand()?.depth), of(n)));
    await lastValueFrom(
      of(1).pipe(
        concatMap(slowly),
        seeDepth,
        mergeBounded((n) => of(n)),
      ),
    );
    await lastValueFrom(
      of(1).pipe(
        fanOut(slowly),
        seeDepth,
        mergeBounded((n) => of(n)),
      ),
    );
    expect(depths).toEqual([undefined, 0]);
  });

  it('knows how much waits in the nearest backlog downstream', () => {
    const upstream: DemandNode[] = [];
    const source = new Observable<number>((subscriber) => {
      upstream.push(currentDemand()!);
      for (let i = 0; i < 20; i++) subscriber.next(i);
    });
    const children = new Observable<number>(() => void upstream.push(currentDemand()!));
    const rows = source.pipe(
      named('rows'),
      fanOut(() => children, { concurrency: 3 }),
    );
    demandProbe(rows);
    expect(upstream.map(({ backlog }) => backlog)).toEqual([17, undefined, undefined, undefined]);
  });

  it('releases a held source when its holder is gone', () => {
    const upstream: DemandNode[] = [];
    const source = new Observable<number>((subscriber) => {
      upstream.push(currentDemand()!);
      for (let i = 0; i < 200; i++) subscriber.next(i);
    });
    const subscription = source
      .pipe(
        fanOut(() => new Observable<never>(), { concurrency: 1 }),
        share(),
      )
      .subscribe();
    expect(upstream[0]!.holding).toBe(true);
    subscription.unsubscribe();
    expect(upstream[0]!.holding).toBe(false);
  });
});
