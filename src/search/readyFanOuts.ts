import type { Observable } from 'rxjs';
import type { ChildPage, FanOut } from '../../operators/fanOut.ts';
import type { PageFactory } from '../../operators/PageFactory.ts';
import type { PageLike, PageRequest } from '../../operators/PageLike.ts';
import { type ChildPagesOptions, type ChildWalkOptions, readyFanOut, type FanOutFactory } from '../fanouts/readyFanOut.ts';
import { fanOuts } from './fanOuts.ts';
import type { HotelSearchQuery } from './operations/hotelSearch.ts';

type Id = string | null | undefined;
type Nested<T> = T | null | undefined;
export interface HasDataId {
  readonly data_id?: Id;
}
export interface HasAuthorId {
  readonly author_id?: Id;
}
/** A work with its authors, or somebody with an id of their own. */
export type HasAuthors = HasAuthorId | { readonly authors?: Nested<readonly HasAuthorId[]> };
/** A work from a search, or an article of an author. */
export type CitedWork =
  | { readonly title: string; readonly id?: Id; readonly inline_links?: Nested<{ readonly cited_by?: Nested<Cited> }> }
  | { readonly title: string; readonly cited_by?: Nested<Cited> };
interface Cited {
  readonly link?: Id;
  readonly total?: Nested<number | string>;
  readonly value?: Id;
  readonly citation_id?: Id;
}
/** A page that lists ways to narrow it down, such as topics of reviews. */
interface ListingPage<List extends string, Entry> extends PageLike {
  readonly query: { readonly data_id: string };
  readonly data: { readonly [L in List]: readonly Entry[] };
}
/** A page of a web search, which may name the address of an AI overview. */
export interface OverviewSource<Query extends object> extends PageLike {
  readonly query: Query;
  readonly data: { readonly ai_overview_url?: Id };
}
export interface CitationQuery {
  readonly author_id: string;
  readonly view_op: 'view_citation';
  readonly citation_id: string;
}

/** A type that no page has. If a page is passed, the compiler's message shows this text. */
interface NoPage {
  readonly items?: 'write items() before it';
}
/** Rows to one page each. */
type Single<Name extends string, Input> = <Query extends object, Page extends PageLike, Row extends NoPage & Input>(
  client: { readonly [N in Name]: FanOutFactory<Query, Page> },
  options?: ChildPagesOptions<Query, Row, ChildPage<Page, Row>>,
) => FanOut<Row, ChildPage<Page, Row>>;
/** Rows to all their pages. */
type Walk<Name extends string, Input> = <Query extends object, Page extends PageLike, Row extends NoPage & Input>(
  client: { readonly [N in Name]: PageFactory<Query, Page> },
  options?: ChildWalkOptions<Query, Row, ChildPage<Page, Row>>,
) => FanOut<Row, ChildPage<Page, Row>>;
/** Pages, each of which lists entries, to all pages of each entry. */
type WalkEntries<Name extends string, List extends string> = <
  Query extends object,
  Page extends PageLike,
  Entry extends { readonly id: string },
>(
  client: { readonly [N in Name]: PageFactory<Query, Page> },
  options?: ChildWalkOptions<Query, Entry, ChildPage<Page, Entry>>,
) => FanOut<ListingPage<List, Entry>, ChildPage<Page, Entry>, Entry>;

interface AnyClient {
  readonly [operation: string]: FanOutFactory<object, PageLike>;
}

/** The operator of a declared fan-out. `never`, so that it fits the type of each constant below, which says which rows it takes. */
function ready(name: keyof typeof fanOuts): never {
  const spec = fanOuts[name];
  const operator = (client: AnyClient, options?: object): unknown => readyFanOut(spec, client[spec.call]!, options, name);
  return Object.defineProperty(operator, 'name', { value: name }) as never;
}

/**
 * Places to the pages of their reviews: each `data_id` once, to its last page. Places without one are left out.
 *
 * - Order: a place's pages are in order; those of several places interleave.
 * - Concurrency: `concurrency` places at once, one request each.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request a page of reviews; `maxPages` bounds it for each place.
 *
 * The other ready fan-outs behave like this one, unless they say otherwise.
 *
 * @example
 * places$.pipe(placeReviews(client, { maxPages: 3, onError: 'skip' }), items({ keep: { place: '$.title' } }))
 */
export const placeReviews: Walk<'mapsReviews', HasDataId> = ready('placeReviews');
/** Places to the pages of their photos: each `data_id` once. */
export const placePhotos: Walk<'mapsPhotos', HasDataId> = ready('placePhotos');
/** Places to the pages of their posts: each `data_id` once. */
export const placePosts: Walk<'mapsPosts', HasDataId> = ready('placePosts');
/** Pages of reviews to the pages of reviews of each topic they list, each topic of a place once. `parent` is the topic. */
export const reviewsByTopic: WalkEntries<'mapsReviews', 'topics'> = ready('reviewsByTopic');
/** Pages of photos to the pages of photos of each category they list, each category of a place once. `parent` is the category. */
export const photosByCategory: WalkEntries<'mapsPhotos', 'categories'> = ready('photosByCategory');
/**
 * Local results of a web search (`items({ rows: 'local_results' })`) to the place of each on the map: each `place_id` once.
 * The query is the result's title, or the id where that is empty, unless `with` says something else.
 */
export const localPlaces: Single<'mapsSearch', { readonly title: string; readonly place_id?: Id }> = ready('localPlaces');
/** Works, or rows of a search for profiles, to the profiles of their authors: every `author_id` once. */
export const authorProfiles: Single<'scholarAuthor', HasAuthors> = ready('authorProfiles');
/** Articles of an author to the details of each: each `citation_id` once. */
export const authorCitations: <Page extends PageLike, Article extends { readonly citation_id?: Id }>(
  // Two signatures, because an operation with variants has one for this variant and then a general one.
  client: { readonly scholarAuthor: { (query: CitationQuery): Observable<Page>; (query: CitationQuery): Observable<PageLike> } },
  options?: ChildPagesOptions<CitationQuery, Article, ChildPage<Page, Article>>,
) => FanOut<Article, ChildPage<Page, Article>> = ready('authorCitations');
/**
 * Works, or articles of an author, to the pages of works that cite them: each id once, by the `cited_by` link or its several
 * ids, else the work's own id. Works that nobody cites are left out. A work can be cited by thousands: see `maxPages`.
 */
export const citingWorks: Walk<'scholarSearch', CitedWork> = ready('citingWorks');
/** Works to the pages of all their versions: each `cluster_id` once. Works with a single version are left out. */
export const workVersions: Walk<
  'scholarSearch',
  { readonly title: string; readonly inline_links?: Nested<{ readonly versions?: Nested<{ readonly cluster_id?: Id }> }> }
> = ready('workVersions');
/**
 * Hotels to the details of each: each `property_token` once. The query is the hotel's title or name, or the token where
 * there is none, unless `with` says something else. `with` needs the days of the stay.
 */
export const hotelDetails: <Page extends PageLike, Hotel extends { readonly property_token?: Id }>(
  client: { readonly hotelSearch: { (query: HotelQuery): Observable<Page>; (query: HotelQuery): Observable<PageLike> } },
  options: HotelDetailsOptions<HotelSearchQuery, Hotel, ChildPage<Page, Hotel>>,
) => FanOut<Hotel, ChildPage<Page, Hotel>> = ready('hotelDetails');
/** The days of the stay, which every query for hotels needs, and whatever else of the query is to be the same. */
export interface HotelDetailsOptions<Query, Hotel, Child> extends Omit<ChildPagesOptions<Query, Hotel, Child>, 'with'> {
  readonly with: Stay<Query> | ((hotel: Hotel) => Stay<Query>);
}
type HotelQuery = HotelSearchQuery & { readonly property_token: string };
type Stay<Query> = Partial<Query> & { readonly check_in_date: string; readonly check_out_date: string };
/** A product's other options (`items({ rows: 'more_options' })`) to the product of each: each `token` once. */
export const productOptions: Single<'immersiveProduct', { readonly token?: Id }> = ready('productOptions');
/** Entries of a news menu (`items({ rows: 'menu_links' })`) to the news of each topic: each `topic_token` once. */
export const newsTopics: Single<'newsSearch', { readonly title: string; readonly topic_token?: Id }> = ready('newsTopics');

export interface AiOverviewsOptions<Source, Child> extends Omit<ChildPagesOptions<never, Source, Child>, 'with' | 'concurrency'> {
  /** Whether an error means that the address is too old. @default an HTTP 4xx, or an envelope that isn't success */
  readonly expired?: ((error: unknown) => boolean) | undefined;
}

/**
 * Pages of a web search to the AI overviews they name, each address once. Pages without one are skipped.
 *
 * An address is valid for about two minutes, so it is requested at once: before every waiting request, and even while
 * something nearer to the sink is full. If it has expired nevertheless, its search is repeated once. If that doesn't help,
 * the page fails with an `ExpiredError`.
 *
 * - Order: overviews as they come.
 * - Concurrency: unlimited, within the client's own limit.
 * - Cancellation: unsubscribing ends the requests in flight.
 * - Cost: one request per page with an address, three if it had expired.
 *
 * @example
 * of({ query: 'why is the sky blue' }).pipe(offsetPages(client.webSearch, { maxPages: 1 }), aiOverviews(client), items())
 */
export function aiOverviews<Query extends object, Page extends PageLike, Source extends OverviewSource<Query>>(
  client: {
    readonly webSearch: (query: Query, request?: PageRequest) => Observable<Source>;
    readonly aiOverview: (query: { readonly url: string }, request?: PageRequest) => Observable<Page>;
  },
  options: AiOverviewsOptions<Source, ChildPage<Page, Source>> = {},
): FanOut<Source, ChildPage<Page, Source>> {
  const source = (query: object, request?: PageRequest): Observable<Source> => client.webSearch(query as Query, request);
  return readyFanOut<Source, Source, { readonly url: string }, Page>(fanOuts.aiOverviews, client.aiOverview, { ...options, source });
}
