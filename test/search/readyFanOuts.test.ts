import { from, map, NEVER, of, throwError, toArray, type Observable, type OperatorFunction } from 'rxjs';
import { describe, expect, it } from 'vitest';
import {
  aiOverviews,
  authorCitations,
  authorProfiles,
  citingWorks,
  currentDemand,
  DemandNode,
  hotelDetails,
  items,
  localPlaces,
  newsTopics,
  photosByCategory,
  placePhotos,
  placePosts,
  placeReviews,
  productOptions,
  reviewsByTopic,
  withDemand,
  workVersions,
  type Failure,
} from '../../src/operators.ts';
import { ExpiredError } from '../../src/errors/index.ts';
import { cursorPaging, fakeFactory, offsetPaging, page, type FakeFactory, type FakePage } from '../operators/fakeFactory.ts';

interface FakeClient {
  readonly client: never;
  readonly asked: object[];
}

/** A client whose one operation responds with two pages of one row for each query. */
function clientWith(operation: string, paging: object = cursorPaging): FakeClient {
  const offset = (paging as { kind: string }).kind === 'offset';
  const factory = fakeFactory(paging, ({ cursor, page: number, ...rest }) => ({
    rows: number === 2 ? [] : [{ ...rest, cursor, number }],
    data: offset || cursor !== undefined ? {} : { next: 'second' },
  }));
  return { client: { [operation]: factory } as never, asked: (factory as FakeFactory<unknown>).asked };
}
const collect = <Row>(rows: readonly object[], operator: OperatorFunction<never, Row>): { values: Row[]; error: unknown } => {
  const seen: { values: Row[]; error: unknown } = { values: [], error: undefined };
  (from(rows) as Observable<never>)
    .pipe(operator)
    .subscribe({ next: (value) => seen.values.push(value), error: (error) => (seen.error = error) });
  return seen;
};
const work = (links: object, id?: string): object => ({ title: 'On Graphs', id, inline_links: links });

/** Rows in, the queries that must be asked, in their order. */
const once: readonly (readonly [
  string,
  () => { made: OperatorFunction<never, { parent: unknown }>; asked: object[] },
  readonly object[],
  readonly object[],
])[] = [
  ...(
    [
      [placeReviews, 'mapsReviews'],
      [placePhotos, 'mapsPhotos'],
      [placePosts, 'mapsPosts'],
    ] as const
  ).map(
    ([operator, operation]) =>
      [
        operator.name,
        () => {
          const { client, asked } = clientWith(operation);
          return { made: (operator as typeof placeReviews)(client) as never, asked };
        },
        [{ data_id: 'a' }, { data_id: 'b' }, { data_id: 'a' }, { data_id: '' }, {}],
        [{ data_id: 'a' }, { data_id: 'a', cursor: 'second' }, { data_id: 'b' }, { data_id: 'b', cursor: 'second' }],
      ] as const,
  ),
  [
    'authorProfiles',
    () => {
      const { client, asked } = clientWith('scholarAuthor');
      return { made: authorProfiles(client), asked };
    },
    [
      { authors: [{ author_id: 'a' }, { author_id: 'b' }, {}] },
      { authors: [] },
      { authors: [{ author_id: 'b' }] },
      { author_id: 'c' },
      { authors: null },
    ],
    [{ author_id: 'a' }, { author_id: 'b' }, { author_id: 'c' }],
  ],
  [
    'reviewsByTopic',
    () => {
      const { client, asked } = clientWith('mapsReviews');
      return { made: reviewsByTopic(client, { maxPages: 1 }), asked };
    },
    ['p', 'q', 'p'].map((data_id) => page({ data_id }, { rows: [], data: { topics: [{ id: 't' }, { id: '' }] } })),
    [
      { data_id: 'p', topic_id: 't' },
      { data_id: 'q', topic_id: 't' },
    ],
  ],
  [
    'photosByCategory',
    () => {
      const { client, asked } = clientWith('mapsPhotos');
      return { made: photosByCategory(client, { maxPages: 1 }), asked };
    },
    ['p', 'q', 'p'].map((data_id) => page({ data_id }, { rows: [], data: { categories: [{ id: 'c' }] } })),
    [
      { data_id: 'p', category_id: 'c' },
      { data_id: 'q', category_id: 'c' },
    ],
  ],
  [
    'authorCitations',
    () => {
      const { client, asked } = clientWith('scholarAuthor');
      return { made: authorCitations(client), asked };
    },
    [{ citation_id: 'me:one' }, { citation_id: 'me:one' }, {}],
    [{ author_id: 'me', view_op: 'view_citation', citation_id: 'me:one' }],
  ],
  [
    'citingWorks',
    () => {
      const { client, asked } = clientWith('scholarSearch', offsetPaging);
      return { made: citingWorks(client, { maxPages: 1 }), asked };
    },
    [
      work({ cited_by: { total: 3, link: 'https://x/scholar?cites=11&hl=en' } }, 'own'),
      work({ cited_by: { total: '2', link: '' } }, 'own'),
      work({ cited_by: { total: 0, link: '' } }, 'nobody'),
      work({}),
    ],
    [
      { query: 'On Graphs', cites: '11' },
      { query: 'On Graphs', cites: 'own' },
    ],
  ],
  [
    'workVersions',
    () => {
      const { client, asked } = clientWith('scholarSearch', offsetPaging);
      return { made: workVersions(client), asked };
    },
    [work({ versions: { cluster_id: 'c' } }), work({ versions: { cluster_id: 'c' } }), work({})],
    [undefined, 1, 2].map((number) => ({ query: 'On Graphs', cluster: 'c', ...(number === undefined ? {} : { page: number }) })),
  ],
  [
    'hotelDetails',
    () => {
      const { client, asked } = clientWith('hotelSearch');
      return { made: hotelDetails(client, { with: { check_in_date: '2030-05-01', check_out_date: '2030-05-02' } }), asked };
    },
    [{ title: 'Inn', property_token: 't' }, { title: 'Inn', property_token: 't' }, { title: 'None' }],
    [{ query: 'Inn', property_token: 't', check_in_date: '2030-05-01', check_out_date: '2030-05-02' }],
  ],
  [
    'productOptions',
    () => {
      const { client, asked } = clientWith('immersiveProduct', offsetPaging);
      return { made: productOptions(client), asked };
    },
    [{ token: 'a' }, { token: 'a' }, {}],
    [{ page_token: 'a' }],
  ],
  [
    'newsTopics',
    () => {
      const { client, asked } = clientWith('newsSearch', offsetPaging);
      return { made: newsTopics(client), asked };
    },
    [{ title: 'World', topic_token: 'w' }, { title: 'World', topic_token: 'w' }, { title: 'None' }],
    [{ query: 'World', topic_token: 'w' }],
  ],
  [
    'localPlaces',
    () => {
      const { client, asked } = clientWith('mapsSearch', offsetPaging);
      return { made: localPlaces(client, { with: { query: 'any' } }), asked };
    },
    [{ title: 'Cafe', place_id: 'p' }, { title: 'Cafe', place_id: 'p' }, { title: 'None' }],
    [{ query: 'any', place_id: 'p' }],
  ],
];

describe.each(once)('%s', (_, make, rows, queries) => {
  it('requests each id once, and skips rows without one', () => {
    const { made, asked } = make();
    const { error } = collect(rows, made);
    expect(error).toBeUndefined();
    expect(asked).toEqual(queries);
  });

  it('lets each page know its parent, out of sight of whoever writes it to a file', () => {
    const { values } = collect(rows, make().made);
    expect(values.every(({ parent }) => typeof parent === 'object' && parent !== null)).toBe(true);
    expect(values.flatMap((made) => Object.keys(made))).not.toContain('parent');
  });
});

it.each([
  ['citingWorks', 'scholarSearch', citingWorks, work({ cited_by: { total: 3, link: '' } }, 'i')],
  ['workVersions', 'scholarSearch', workVersions, work({ versions: { cluster_id: 'i' } })],
  ['newsTopics', 'newsSearch', newsTopics, { topic_token: 'i' }],
  ['localPlaces', 'mapsSearch', localPlaces, { place_id: 'i' }],
  ['hotelDetails', 'hotelSearch', hotelDetails, { property_token: 'i' }],
] as const)('%s asks with the id where the title is empty, since a query must not be', (_, operation, operator, row) => {
  const { client, asked } = clientWith(operation, offsetPaging);
  const fanOut = operator as unknown as (client: never, options: object) => OperatorFunction<never, unknown>;
  collect([{ ...row, title: '' }], fanOut(client, { with: {} }));
  expect(asked[0]).toMatchObject({ query: 'i' });
});

describe('placeReviews', () => {
  const failing = fakeFactory(cursorPaging, ({ data_id, ...rest }) =>
    data_id === 'bad' ? throwError(() => new Error('down')) : { rows: [{ data_id, ...rest }] },
  );
  const client = { mapsReviews: failing } as never;
  const places = ['a', 'bad', 'c'].map((data_id) => ({ data_id, title: data_id.toUpperCase() }));

  it('reports failures with their place, its id and its query', () => {
    const told: Failure<unknown>[] = [];
    const operator = placeReviews(client, { failures: { next: (failure) => told.push(failure) } });
    let listed: unknown;
    operator.failures$
      .pipe(
        map(({ key }) => key),
        toArray(),
      )
      .subscribe((keys) => (listed = keys));
    expect(collect(places, operator as never).values).toHaveLength(2);
    expect(told).toMatchObject([{ row: places[1], key: 'bad', query: { data_id: 'bad' }, cause: { message: 'down' } }]);
    expect(listed).toEqual(['bad']);
  });

  it('replaces a failure as onError says', () => {
    const rows: unknown[] = [];
    const onError = ({ row }: Failure<(typeof places)[number]>): Observable<never> => (rows.push(row), of());
    expect(collect(places, placeReviews(client, { onError }) as never)).toMatchObject({ values: { length: 2 }, error: undefined });
    expect(rows).toEqual([places[1]]);
  });

  it('sends more parameters, also per row', () => {
    const { client, asked } = clientWith('mapsReviews');
    collect(
      [{ data_id: 'a', n: 1 }],
      placeReviews(client, { maxPages: 1, with: ((row: { n: number }) => ({ results: row.n })) as never }) as never,
    );
    expect(asked).toEqual([{ data_id: 'a', results: 1 }]);
  });

  it('hands columns of the place on to its reviews', () => {
    const rows = collect(places.slice(0, 1), (source: Observable<never>) =>
      source.pipe(placeReviews(client), items({ keep: { place: '$.title' } })),
    );
    expect(rows.values).toEqual([{ place: 'A', data_id: 'a' }]);
  });

  it.each([{ maxPages: 0 }, { concurrency: 0 }, { memory: 0 }, { onError: 'ignore' as never }])(
    'refuses %o when it is called',
    (options) => {
      expect(() => placeReviews(client, options)).toThrow(RangeError);
    },
  );
});

describe('aiOverviews', () => {
  const expiredError = Object.assign(new Error('gone'), { name: 'HttpError', status: 404 });
  const search = (url: string | undefined): FakePage => page({ query: 'why' }, { rows: [], data: { ai_overview_url: url } });
  interface Calls {
    readonly searches: unknown[];
    readonly urls: string[];
  }
  const setUp = (response: (url: string) => Observable<FakePage>, next: string | undefined = 'new'): Calls & { client: never } => {
    const calls: Calls = { searches: [], urls: [] };
    const webSearch = (query: unknown): Observable<FakePage> => (calls.searches.push(query), of(search(next)));
    const aiOverview = ({ url }: { url: string }): Observable<FakePage> => (calls.urls.push(url), response(url));
    return { ...calls, client: { webSearch, aiOverview } as never };
  };
  const overview = of(page({}, { rows: [] }));

  it('requests the overview of a search, if there is one', () => {
    const { client, urls } = setUp(() => overview);
    expect(collect([search('u'), search(undefined), search('')], aiOverviews(client) as never).values).toHaveLength(1);
    expect(urls).toEqual(['u']);
  });

  it('repeats the search once when the address has expired', () => {
    const { client, urls, searches } = setUp((url) => (url === 'old' ? throwError(() => expiredError) : overview));
    expect(collect([search('old')], aiOverviews(client) as never)).toMatchObject({ values: { length: 1 }, error: undefined });
    expect([urls, searches]).toEqual([['old', 'new'], [{ query: 'why' }]]);
  });

  it.each([
    ['too old again', 'new'],
    ['not there any more', ''],
  ])('fails with an error of its own when the new address is %s', (_, next) => {
    const { client } = setUp(() => throwError(() => expiredError), next);
    const { error } = collect([search('old')], aiOverviews(client) as never);
    expect(error).toBeInstanceOf(ExpiredError);
    expect(error).toMatchObject({ query: { query: 'why' }, cause: expiredError });
  });

  it.each([{ name: 'NetworkError' }, { name: 'AuthError', status: 401 }, { name: 'HttpError', status: 500 }])(
    'does not take %o for an address that is too old',
    (fields) => {
      const other = Object.assign(new Error('other'), fields);
      const { client, searches } = setUp(() => throwError(() => other));
      expect(collect([search('u')], aiOverviews(client) as never).error).toBe(other);
      expect(searches).toEqual([]);
    },
  );

  it('sends its request first, even while the sink holds', () => {
    const depths: unknown[] = [];
    const { client } = setUp(() => (depths.push(currentDemand()?.depth, currentDemand()?.holder()), NEVER));
    const sink = new DemandNode(undefined);
    sink.hold();
    const searches = Array.from({ length: 50 }, (_, i) => search(`u${i}`));
    const subscription = withDemand(sink, () => (from(searches) as Observable<never>).pipe(aiOverviews(client)).subscribe());
    expect(depths).toHaveLength(100);
    expect(new Set(depths)).toEqual(new Set([-Infinity, undefined]));
    subscription.unsubscribe();
  });
});
