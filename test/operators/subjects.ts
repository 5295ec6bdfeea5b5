import { defer, of, type Observable, type OperatorFunction } from 'rxjs';
import * as door from '../../src/operators.ts';
import { cursorPaging, fakeFactory, offsetPaging, page, type FakePage } from './fakeFactory.ts';

/** An exported operator as the rules for all of them see it. */
export interface Subject {
  readonly name: string;
  /** The operator; whatever it asks for goes through `response`, which may delay or fail it. */
  readonly make: (response: TypeOf) => OperatorFunction<never, unknown>;
  /** The input number i; each gives at least one output. */
  readonly input: (i: number) => unknown;
  /** The operator with a callback of the user's that throws `error`. */
  readonly throwing?: (error: Error) => OperatorFunction<never, unknown>;
}
export type TypeOf = <T>(stream: Observable<T>) => Observable<T>;

const query = (i: number): object => ({ q: i });
const thrower = (error: Error) => (): never => {
  throw error;
};

/** A client whose every operation responds with one page of one row, anew each time. */
function clientOf(response: TypeOf): never {
  const operation = (paging: object): unknown =>
    fakeFactory(paging, (asked) =>
      response(defer(() => of(page(asked, { rows: [{ asked }], data: { more: false, ai_overview_url: JSON.stringify(asked) } })))),
    );
  const cursor = operation(cursorPaging);
  const offset = operation({ ...offsetPaging, more: 'more' });
  const names = { mapsReviews: cursor, mapsPhotos: cursor, mapsPosts: cursor, hotelSearch: cursor, scholarSearch: offset };
  const single = {
    scholarAuthor: cursor,
    immersiveProduct: offset,
    newsSearch: offset,
    mapsSearch: offset,
    webSearch: offset,
    aiOverview: offset,
  };
  return { ...names, ...single } as never;
}
const pageOf = (data: object, asked: object = {}): FakePage => page(asked, { rows: [{ id: 'r' }], data });

type Ready = (client: never, options?: never) => OperatorFunction<never, unknown>;
const ready = (operator: Ready, input: (i: number) => unknown, options?: object): Subject => {
  return {
    name: operator.name,
    input,
    make: (response) => operator(clientOf(response), options as never),
    throwing: (error) => operator(clientOf(thrower(error)), options as never),
  };
};
const title = 'x';

export const subjects: readonly Subject[] = [
  {
    name: 'expandCursor',
    input: query,
    make: (response) => door.expandCursor(fakeFactory(cursorPaging, (asked) => response(of(page(asked, { rows: [{ asked }] }))))),
    throwing: (error) => door.expandCursor(fakeFactory(cursorPaging, thrower(error))),
  },
  ...[1, 3].map((lookahead): Subject => {
    const over = (response: TypeOf): OperatorFunction<never, unknown> =>
      door.offsetPages(
        fakeFactory({ ...offsetPaging, more: 'more' }, (asked) => response(of(page(asked, { rows: [{ asked }], data: { more: false } })))),
        { lookahead },
      );
    return { name: 'offsetPages', input: query, make: over, throwing: (error) => over(thrower(error)) };
  }),
  {
    name: 'splitWhenFull',
    input: query,
    make: (response) =>
      door.splitWhenFull(
        fakeFactory(cursorPaging, (asked) => response(of(page(asked, { rows: [{ asked }] })))),
        {
          full: 2,
          split: (asked) => ('half' in asked ? [] : [{ ...asked, half: 1 }, { ...asked, half: 2 }]), // prettier-ignore
        },
      ),
    throwing: (error) =>
      door.splitWhenFull(
        fakeFactory(cursorPaging, (asked) => of(page(asked, { rows: [{ asked }] }))),
        { full: 1, split: thrower(error) },
      ),
  },
  {
    name: 'items',
    input: (i) => page({}, { rows: [{ i }] }),
    make: () => door.items(),
    throwing: (error) => door.items({ keep: { column: thrower(error) } }),
  },
  {
    name: 'fanOut',
    input: (i) => ({ i }),
    make: (response) => door.fanOut((row) => response(of(row)), { by: 'i' as never }),
    throwing: (error) => door.fanOut(thrower(error)),
  },
  {
    name: 'mergeBounded',
    input: (i) => i,
    make: (response) => door.mergeBounded((value) => response(of(value))),
    throwing: (error) => door.mergeBounded<never, unknown>(thrower(error)),
  },
  {
    name: 'distinctBy',
    input: (i) => i,
    make: () => door.distinctBy((value) => value),
    throwing: (error) => door.distinctBy(thrower(error)),
  },
  {
    name: 'untilMatch',
    input: (i) => page({}, { rows: [{ i }] }),
    make: () => door.untilMatch({ i: -1 }),
    throwing: (error) => door.untilMatch({ i: { exists: true } }, { ended: thrower(error) }),
  },
  { name: 'named', input: (i) => i, make: () => door.named('part') },
  { name: 'shareHeld', input: (i) => i, make: () => door.shareHeld() },
  { name: 'limitConcurrency', input: (i) => i, make: () => door.limitConcurrency(1) },
  { name: 'limitRate', input: (i) => i, make: () => door.limitRate({ requests: 1, perMs: 1 }) },
  { name: 'backoff', input: (i) => i, make: () => door.backoff({ maxAttempts: 1 }) },
  ready(door.placeReviews, (i) => ({ data_id: String(i) })),
  ready(door.placePhotos, (i) => ({ data_id: String(i) })),
  ready(door.placePosts, (i) => ({ data_id: String(i) })),
  ready(door.authorProfiles, (i) => ({ authors: [{ author_id: String(i) }] })),
  ready(door.reviewsByTopic, (i) => pageOf({ topics: [{ id: String(i) }] }, { data_id: 'd' })),
  ready(door.photosByCategory, (i) => pageOf({ categories: [{ id: String(i) }] }, { data_id: 'd' })),
  ready(door.authorCitations, (i) => ({ citation_id: `author:${i}` })),
  ready(door.citingWorks, (i) => ({ title, id: String(i) })),
  ready(door.workVersions, (i) => ({ title, inline_links: { versions: { cluster_id: String(i) } } })),
  ready(door.hotelDetails as never, (i) => ({ title, property_token: String(i) }), {
    with: { check_in_date: '2030-05-01', check_out_date: '2030-05-04' },
  }),
  ready(door.productOptions, (i) => ({ token: String(i) })),
  ready(door.newsTopics, (i) => ({ title, topic_token: String(i) })),
  ready(door.localPlaces, (i) => ({ title, place_id: String(i) })),
  ready(door.aiOverviews, (i) => pageOf({ ai_overview_url: String(i) })),
];
