import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray, type Observable, type OperatorFunction } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFlow, type FlowDefinition } from '../../src/flow/index.ts';
import { items } from '../../src/operators.ts';
import * as ready from '../../src/search/readyFanOuts.ts';
import { operations, searchService, type OperationName } from '../../src/search/index.ts';
import { fakeClient, type Asked, type FakeClient } from '../flow/fakeClient.ts';

type Name = keyof typeof searchService.fanOuts;
interface Case {
  /** The operation whose response holds the rows, its query, and how the response holds them. */
  readonly parent: OperationName;
  readonly query: { readonly [param: string]: string };
  readonly rowsAt?: string;
  readonly data: (rows: readonly object[]) => object;
  readonly rows: readonly object[];
  /** What a stage and an operator must add. */
  readonly with?: { readonly [param: string]: string };
  /** How many queries follow from the rows. */
  readonly queries: number;
}

const stay = { check_in_date: '2030-05-01', check_out_date: '2030-05-04' };
const places: Case = {
  parent: 'mapsSearch',
  query: { query: 'coffee' },
  data: (search_results) => ({ search_results }),
  rows: [{ data_id: 'a' }, { data_id: 'b' }, { data_id: 'a', title: 'again' }, { data_id: '' }, { data_id: null }, {}],
  queries: 2,
};
const works = {
  parent: 'scholarSearch',
  query: { query: 'graphs' },
  data: (scholar_results: readonly object[]) => ({ scholar_results }),
} as const;
const cases: { readonly [N in Name]: Case } = {
  placeReviews: places,
  placePhotos: places,
  placePosts: places,
  reviewsByTopic: {
    parent: 'mapsReviews',
    query: { data_id: 'p' },
    data: (topics) => ({ reviews_results: [{ review_id: 'r' }], topics }),
    rows: [{ id: 't', keyword: 'milk' }, { id: 't' }, { id: '' }, { keyword: 'none' }],
    queries: 1,
  },
  photosByCategory: {
    parent: 'mapsPhotos',
    query: { data_id: 'p' },
    data: (categories) => ({ photos: [{}], categories }),
    rows: [{ id: 'c', name: 'Menu' }, { id: 'd' }, {}],
    queries: 2,
  },
  localPlaces: {
    parent: 'webSearch',
    query: { query: 'coffee' },
    rowsAt: 'local_results',
    data: (local_results) => ({ local_results }),
    rows: [{ title: 'Cafe', place_id: 'p' }, { title: '', place_id: 'q' }, { title: 'Other name', place_id: 'p' }, { title: 'None' }],
    queries: 2,
  },
  authorProfiles: {
    ...works,
    rows: [
      { authors: [{ author_id: 'a' }, { author_id: 'b' }, {}, null] },
      { authors: [] },
      { authors: [{ author_id: 'b' }] },
      { authors: null },
      { author_id: 'c' },
    ],
    queries: 3,
  },
  authorCitations: {
    parent: 'scholarAuthor',
    query: { author_id: 'me' },
    data: (articles) => ({ articles }),
    rows: [{ citation_id: 'me:one' }, { citation_id: 'me:one' }, { citation_id: 'you:two' }, {}],
    queries: 2,
  },
  citingWorks: {
    ...works,
    rows: [
      { title: 'A', id: 'own', inline_links: { cited_by: { total: 3, link: 'https://x/scholar?cites=11&hl=en' } } },
      { title: 'B', id: 'own', inline_links: { cited_by: { total: '2', link: '' } } },
      { title: 'C', id: 'nobody', inline_links: { cited_by: { total: 0, link: '' } } },
      { title: 'D', inline_links: {} },
      // articles of an author
      { title: 'E', cited_by: { value: '9', link: 'https://x/?cites=1', citation_id: '21,22, 23' } },
      { title: '', cited_by: { value: '1', citation_id: '24' } },
      { title: 'F', cited_by: { value: '0', citation_id: '25' } },
      { title: 'G', cited_by: { value: '', citation_id: '' } },
    ],
    queries: 6,
  },
  workVersions: {
    ...works,
    rows: [
      { title: 'A', inline_links: { versions: { cluster_id: 'c' } } },
      { title: 'B', inline_links: { versions: { cluster_id: 'c' } } },
      { title: '', inline_links: { versions: { cluster_id: 'd' } } },
      { title: 'D', inline_links: {} },
    ],
    queries: 2,
  },
  hotelDetails: {
    parent: 'hotelSearch',
    query: { query: 'Oslo', ...stay },
    data: (ads) => ({ ads }),
    rows: [
      { title: 'Inn', property_token: 't' },
      { title: '', property_token: 'u' },
      { name: 'By its name', property_token: 'v' },
      { title: 'Inn again', property_token: 't' },
      { title: 'None' },
    ],
    with: stay,
    queries: 3,
  },
  productOptions: {
    parent: 'immersiveProduct',
    query: { page_token: 'x' },
    rowsAt: 'more_options',
    data: (more_options) => ({ stores: [], more_options }),
    rows: [{ token: 'a' }, { token: 'a' }, {}],
    queries: 1,
  },
  newsTopics: {
    parent: 'newsSearch',
    query: { query: 'weather' },
    rowsAt: 'menu_links',
    data: (menu_links) => ({ news_results: [], menu_links }),
    rows: [{ title: 'World', topic_token: 'w' }, { title: '', topic_token: 'v' }, { title: 'None' }],
    queries: 2,
  },
  aiOverviews: {
    parent: 'webSearch',
    query: { query: 'why' },
    data: ([row]) => ({ organic_results: [{}, {}], ...row }),
    rows: [{ ai_overview_url: 'https://overview.example/1' }],
    queries: 1,
  },
};

const { fanOuts } = searchService;
const byName: { readonly [N in Name]: unknown } = { ...ready };
const names = Object.keys(fanOuts) as Name[];

/** A client that responds to its first request with the rows, and every other one with nothing. */
function clientFor(name: Name): FakeClient {
  const { data, rows } = cases[name];
  let first = true;
  return fakeClient(() => {
    const response = first ? data(rows) : { reviews_results: [] };
    first = false;
    return response;
  });
}
const sorted = (asked: readonly Asked[]): string[] =>
  asked
    .map(({ operation, query }) => JSON.stringify([operation, Object.entries(query).toSorted(([one], [other]) => (one < other ? -1 : 1))]))
    .toSorted();

describe.each(names)('%s', (name) => {
  let outDir: string;
  beforeEach(async () => {
    outDir = await mkdtemp(join(tmpdir(), 'trawler-fan-out-'));
  });
  afterEach(() => rm(outDir, { recursive: true, force: true }));
  const { parent, query, rowsAt, with: extra, queries } = cases[name];
  const spec = fanOuts[name];

  async function inFlow(): Promise<FakeClient> {
    const client = clientFor(name);
    const flow = {
      name,
      stages: {
        rows: { call: parent, with: query, ...(rowsAt === undefined ? {} : { rows: rowsAt }) },
        more: { call: name, each: 'rows', ...(extra === undefined ? {} : { with: extra }) },
      },
    };
    await lastValueFrom(runFlow(flow as unknown as FlowDefinition, { client, outDir }));
    return client;
  }

  async function inPipe(): Promise<FakeClient> {
    const client = clientFor(name);
    type Factory = (query: object, request?: object) => Observable<never>;
    const factory = (client as unknown as { readonly [operation: string]: Factory })[parent]!;
    const overPages = 'rows' in spec;
    const page$ = factory(query, rowsAt === undefined ? undefined : { rows: rowsAt });
    const rows$ = overPages ? page$ : page$.pipe(items() as OperatorFunction<never, never>);
    const operator = byName[name] as unknown as (client: FakeClient, options: object) => OperatorFunction<never, unknown>;
    const options = { ...('walks' in spec ? { maxPages: 1 } : {}), onError: 'skip', ...(extra === undefined ? {} : { with: extra }) };
    await lastValueFrom(rows$.pipe(operator(withPaging(client), options), toArray()));
    return client;
  }

  it('makes the same requests as an operator and as a stage of a flow', async () => {
    const [flow, pipe] = [await inFlow(), await inPipe()];
    // The first request is for the rows themselves.
    expect(sorted(pipe.asked.slice(1))).toEqual(sorted(flow.asked.slice(1)));
    expect(flow.asked).toHaveLength(1 + queries);
  });
});

/** The client with what an operator needs to know of its operations. */
function withPaging(client: FakeClient): FakeClient {
  for (const [name, { spec }] of Object.entries(operations)) {
    Object.assign((client as unknown as { readonly [operation: string]: object })[name]!, { paging: spec.paging });
  }
  return client;
}
