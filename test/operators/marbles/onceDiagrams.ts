import { map, type Observable, type OperatorFunction } from 'rxjs';
import {
  authorCitations,
  citingWorks,
  hotelDetails,
  localPlaces,
  newsTopics,
  photosByCategory,
  placePhotos,
  placePosts,
  productOptions,
  reviewsByTopic,
  workVersions,
} from '../../../src/operators.ts';
import { cursorPaging, fakeFactory, offsetPaging, page, type FakePage } from '../fakeFactory.ts';
import type { Diagram, Stage } from './Diagram.ts';

type Make = (client: never) => OperatorFunction<never, FakePage>;

/** The picture of a fan-out that asks for one page an id: a and b once each, though a comes twice. */
function once(
  make: Make,
  operation: string,
  rows: string,
  noun: string,
  id: string,
  input: (id: string) => object,
  call?: string,
): Diagram {
  return {
    operator: make.name,
    call: call ?? `${make.name}(client)`,
    source: { label: rows, marbles: 'a-b-a---|' },
    inner: ['a', 'b'].map((letter, i) => ({
      label: `${noun} ${letter}`,
      marbles: `--(${letter.toUpperCase()}|)`,
      subscribed: `${'-'.repeat(i * 2)}^-!`,
    })),
    output: '--A-B---|',
    run(stage: Stage): Observable<string> {
      const response = (query: object): Observable<FakePage> =>
        stage
          .line(`${noun} ${(query as { readonly [param: string]: string })[id]!.split(':').at(-1)!}`)
          .pipe(map((letter) => page(query, { rows: [], data: { letter } })));
      const factory = fakeFactory(operation === 'scholarSearch' ? { ...offsetPaging, size: 1 } : cursorPaging, response);
      return stage.line(rows).pipe(
        map((letter) => input(letter) as never),
        make({ [operation]: factory } as never),
        map(({ data }) => data['letter'] as string),
      );
    },
  };
}

const stay = { check_in_date: '2030-05-01', check_out_date: '2030-05-04' };
const hotels: Make = Object.defineProperty(hotelDetailsOf, 'name', { value: hotelDetails.name });
function hotelDetailsOf(client: never): OperatorFunction<never, FakePage> {
  return hotelDetails(client, { with: stay }) as OperatorFunction<never, FakePage>;
}
const title = 'x';
const place = (data_id: string): object => ({ data_id });
const ofPage = (list: string) => (id: string) => page({ data_id: 'p' }, { rows: [], data: { [list]: [{ id }] } });

export const onceDiagrams: readonly Diagram[] = [
  once(placePhotos, 'mapsPhotos', 'places', 'photos of', 'data_id', place),
  once(placePosts, 'mapsPosts', 'places', 'posts of', 'data_id', place),
  once(reviewsByTopic, 'mapsReviews', 'pages with topics', 'reviews on', 'topic_id', ofPage('topics')),
  once(photosByCategory, 'mapsPhotos', 'pages with categories', 'photos of', 'category_id', ofPage('categories')),
  once(authorCitations, 'scholarAuthor', 'articles', 'details of', 'citation_id', (id) => ({ citation_id: `author:${id}` })),
  once(citingWorks, 'scholarSearch', 'works', 'works citing', 'cites', (id) => ({ title, id })),
  once(workVersions, 'scholarSearch', 'works', 'versions of', 'cluster', (id) => ({
    title,
    inline_links: { versions: { cluster_id: id } },
  })),
  once(
    hotels,
    'hotelSearch',
    'hotels',
    'details of',
    'property_token',
    (id) => ({ title, property_token: id }),
    'hotelDetails(client, { with: stay })',
  ),
  once(productOptions, 'immersiveProduct', 'options', 'product', 'page_token', (token) => ({ token })),
  once(newsTopics, 'newsSearch', 'menu entries', 'news on', 'topic_token', (id) => ({ title, topic_token: id })),
  once(localPlaces, 'mapsSearch', 'local results', 'place', 'place_id', (id) => ({ title, place_id: id })),
];
