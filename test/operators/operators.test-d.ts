import { delay, from, of, type Observable } from 'rxjs';
import { expectTypeOf } from 'vitest';
import {
  aiOverviews,
  authorCitations,
  authorProfiles,
  backoff,
  citingWorks,
  distinctBy,
  expandCursor,
  fanOut,
  hotelDetails,
  items,
  iterate,
  limitConcurrency,
  limitRate,
  localPlaces,
  newsTopics,
  offsetPages,
  photosByCategory,
  placePhotos,
  placePosts,
  placeReviews,
  productOptions,
  reviewsByTopic,
  mergeBounded,
  workVersions,
  type CursorPaging,
  type Failure,
  type PageFactory,
  type PageLike,
} from '../../src/operators.ts';
import type { Client } from '../../src/createClient.ts';
import type {
  HotelAd,
  MapsPhoto,
  MapsPost,
  MapsReview,
  Place,
  ReviewTopic,
  ScholarArticle,
  ScholarResult,
  Seller,
} from '../../src/search/index.ts';

declare const client: Client;
type Value<O> = O extends Observable<infer V> ? V : never;

// expandCursor: a page's rows are typed down to their fields, and `rows` turns to another list.
const reviewPages = of({ data_id: 'x' }).pipe(expandCursor(client.mapsReviews, { maxPages: 2 }));
expectTypeOf<Value<typeof reviewPages>['items'][number]>().toEqualTypeOf<MapsReview>();
const topicPages = of({ data_id: 'x' }).pipe(expandCursor(client.mapsReviews, { rows: 'topics' }));
expectTypeOf<Value<typeof topicPages>['items'][number]>().toEqualTypeOf<ReviewTopic>();
expectTypeOf<Value<typeof topicPages>['query']['data_id']>().toEqualTypeOf<string>();
// @ts-expect-error maps search counts, it has no cursor
of({ query: 'coffee' }).pipe(expandCursor(client.mapsSearch));
// @ts-expect-error web search neither
expandCursor(client.webSearch);
// @ts-expect-error autocomplete has one page
expandCursor(client.autocomplete);
// @ts-expect-error a walk needs the place
of({ language: 'en' }).pipe(expandCursor(client.mapsReviews));

// @ts-expect-error no such parameter
of({ data_id: 'x', dataid: 'x' }).pipe(expandCursor(client.mapsReviews));
// @ts-expect-error also with other operators around it, and where other queries are right
from([{ data_id: 'x' }, { data_id: 'x', langage: 'en' }]).pipe(delay(1), expandCursor(client.mapsReviews, { rows: 'topics' }), items());
from([{ data_id: 'x' }, { data_id: 'x', language: 'en' }]).pipe(delay(1), expandCursor(client.mapsReviews), items());
// An operation of which nothing is known may have any parameter.
declare const anyOperation: PageFactory<object, PageLike, CursorPaging>;
of({ anything: 'x' }).pipe(expandCursor(anyOperation));
export const walkAll = <Query extends object, Page extends PageLike>(factory: PageFactory<Query, Page, CursorPaging>, query: Query) =>
  of(query).pipe(expandCursor(factory));

// offsetPages
// @ts-expect-error no such parameter
of({ query: 'coffee', qery: 'tea' }).pipe(offsetPages(client.mapsSearch));
const placePages = of({ query: 'coffee' }).pipe(offsetPages(client.mapsSearch, { lookahead: 2 }));
expectTypeOf<Value<typeof placePages>['items'][number]>().toEqualTypeOf<Place>();
const storePages = of({ page_token: 'x' }).pipe(offsetPages(client.immersiveProduct));
expectTypeOf<Value<typeof storePages>['items'][number]>().toEqualTypeOf<Seller>();
// @ts-expect-error reviews have a cursor
offsetPages(client.mapsReviews);
// @ts-expect-error patents have one page
offsetPages(client.patentDetails);

// items
const places = placePages.pipe(items());
expectTypeOf<Value<typeof places>>().toEqualTypeOf<Place>();
const topics = reviewPages.pipe(items({ rows: 'topics' }));
expectTypeOf<Value<typeof topics>>().toEqualTypeOf<ReviewTopic>();
const kept = reviewPages.pipe(items({ keep: { place: 'data_id', size: (page, row) => row.rating + page.items.length } }));
expectTypeOf<Value<typeof kept>['place']>().toEqualTypeOf<string>();
expectTypeOf<Value<typeof kept>['size']>().toEqualTypeOf<number>();
expectTypeOf<Value<typeof kept>['rating']>().toEqualTypeOf<number>();
// @ts-expect-error no such parameter
reviewPages.pipe(items({ keep: { place: 'data_idd' } }));

// Ready fan-outs: from row to page to row.
const reviews = of({ query: 'coffee' }).pipe(offsetPages(client.mapsSearch), items(), placeReviews(client), items());
expectTypeOf<Value<typeof reviews>>().toEqualTypeOf<MapsReview>();
const reviewsWithPlace = places.pipe(
  placeReviews(client, { with: { sort_by: 'newestFirst' } }),
  items({ keep: { place: '$.title', rank: '$.rank' } }),
);
expectTypeOf<Value<typeof reviewsWithPlace>['place']>().toEqualTypeOf<string>();
expectTypeOf<Value<typeof reviewsWithPlace>['rank']>().toEqualTypeOf<number>();
expectTypeOf<Value<typeof reviewsWithPlace>['snippet']>().toEqualTypeOf<string>();
// @ts-expect-error a place has no titel
places.pipe(placeReviews(client), items({ keep: { place: '$.titel' } }));
// @ts-expect-error the position of a place has no lat
places.pipe(placeReviews(client), items({ keep: { place: '$.gps_coordinates.lat' } }));
// @ts-expect-error a path begins with $.
places.pipe(placeReviews(client), items({ keep: { place: 'title' } }));
const cities = placePages.pipe(items({ keep: { city: 'query' } }), placeReviews(client), items({ keep: { city: '$.city' } }));
expectTypeOf<Value<typeof cities>['city']>().toEqualTypeOf<string>();
// @ts-expect-error a row without a data_id has no reviews
of({ title: 'x' }).pipe(placeReviews(client));
// @ts-expect-error no such order
places.pipe(placeReviews(client, { with: { sort_by: 'newest' } }));
expectTypeOf(fanOut((place: Place) => of(place.title)).failures$).toEqualTypeOf<Observable<Failure<Place>>>();

const photos = places.pipe(placePhotos(client), items());
expectTypeOf<Value<typeof photos>>().toEqualTypeOf<MapsPhoto>();
const posts = places.pipe(placePosts(client), items());
expectTypeOf<Value<typeof posts>>().toEqualTypeOf<MapsPost>();

const works = of({ query: 'graphs' }).pipe(offsetPages(client.scholarSearch), items());
const profiles = works.pipe(authorProfiles(client));
expectTypeOf<Value<typeof profiles>['parent']>().toEqualTypeOf<ScholarResult>();
expectTypeOf<Value<typeof profiles>['data']['author']['name']>().toEqualTypeOf<string>();
const articles = profiles.pipe(items());
expectTypeOf<Value<typeof articles>>().toEqualTypeOf<ScholarArticle>();
const people = of({ mauthors: 'x' }).pipe(expandCursor(client.scholarProfiles), items(), authorProfiles(client));
expectTypeOf<Value<typeof people>['parent']['affiliations']>().toEqualTypeOf<string>();

const byTopic = reviewPages.pipe(reviewsByTopic(client));
expectTypeOf<Value<typeof byTopic>['parent']>().toEqualTypeOf<ReviewTopic>();
const byCategory = of({ data_id: 'x' }).pipe(
  expandCursor(client.mapsPhotos),
  photosByCategory(client),
  items({ keep: { category: '$.name' } }),
);
expectTypeOf<Value<typeof byCategory>['category']>().toEqualTypeOf<string>();
const citations = articles.pipe(authorCitations(client));
expectTypeOf<Value<typeof citations>['parent']>().toEqualTypeOf<ScholarArticle>();
// The details of a citation aren't documented: nothing of a profile is certain.
expectTypeOf<Value<typeof citations>['data']['author']>().extract<undefined>().toEqualTypeOf<undefined>();
const citing = works.pipe(citingWorks(client, { maxPages: 1 }), items());
expectTypeOf<Value<typeof citing>>().toEqualTypeOf<ScholarResult>();
const versions = works.pipe(workVersions(client), items());
expectTypeOf<Value<typeof versions>>().toEqualTypeOf<ScholarResult>();
const stay = { check_in_date: '2030-05-01', check_out_date: '2030-05-04' };
const hotels = of({ query: 'Oslo', ...stay }).pipe(expandCursor(client.hotelSearch), items());
const details = hotels.pipe(hotelDetails(client, { with: stay }));
expectTypeOf<Value<typeof details>['parent']>().toEqualTypeOf<HotelAd>();
// @ts-expect-error the days of the stay are missing
hotels.pipe(hotelDetails(client, { with: { adults: 2 } }));
const options = of({ page_token: 'x' }).pipe(
  offsetPages(client.immersiveProduct),
  items({ rows: 'more_options' }),
  productOptions(client),
  items(),
);
expectTypeOf<Value<typeof options>>().toEqualTypeOf<Seller>();
const news = client
  .newsSearch({ query: 'weather' })
  .pipe(items({ rows: 'menu_links' }), newsTopics(client), items({ keep: { topic: '$.title' } }));
expectTypeOf<Value<typeof news>['topic']>().toEqualTypeOf<string>();
const local = client
  .webSearch({ query: 'coffee' })
  .pipe(items({ rows: 'local_results' }), localPlaces(client), items(), placeReviews(client), items());
expectTypeOf<Value<typeof local>>().toEqualTypeOf<MapsReview>();
const overviews = of({ query: 'why' }).pipe(offsetPages(client.webSearch, { maxPages: 1 }), aiOverviews(client));
expectTypeOf<Value<typeof overviews>['parent']['query']['query']>().toEqualTypeOf<string>();

// fanOut, mergeBounded, and the operators for streams that aren't ours.
const fanned = places.pipe(fanOut((place) => client.mapsPosts({ data_id: place.data_id }), { by: 'data_id', onError: () => undefined }));
expectTypeOf<Value<typeof fanned>['items'][number]>().toEqualTypeOf<MapsPost>();
// @ts-expect-error no such field
places.pipe(fanOut((place) => of(place.title), { by: 'dataId' }));
const merged = of(1, 2).pipe(mergeBounded((n) => of(String(n))));
expectTypeOf<Value<typeof merged>>().toEqualTypeOf<string>();
const once = places.pipe(
  distinctBy('data_id'),
  distinctBy((place) => place.place_id),
);
expectTypeOf<Value<typeof once>>().toEqualTypeOf<Place>();
const limited = of(1).pipe(limitConcurrency(2), limitRate({ requests: 1, perMs: 1000 }), backoff());
expectTypeOf<Value<typeof limited>>().toEqualTypeOf<number>();
expectTypeOf(iterate(places)).toExtend<AsyncIterable<Place>>();
