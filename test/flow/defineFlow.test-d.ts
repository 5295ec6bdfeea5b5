import { defineFlow, type FlowDefinition } from '../../src/flow/index.ts';

export const right: FlowDefinition = defineFlow({
  name: 'right',
  maxRequests: 100,
  stages: {
    places: { call: 'mapsSearch', with: { query: ['coffee', 'tea in ${env.CITY}'], ll: '@40.74,-73.98,14z' }, pages: 5, to: 'places.csv' },
    reviews: {
      call: 'mapsReviews',
      each: 'places',
      with: { data_id: '$.data_id', sort_by: ['newestFirst', 'ratingLow'], results: 20 },
      keep: { place: '$.title', latitude: '$.gps_coordinates.latitude', source: 'maps' },
      where: { rating: { '>=': 4 } },
      pages: 'all',
      to: ['reviews.jsonl', 'reviews.csv'],
    },
    photos: { call: 'placePhotos', each: 'places', to: { file: 'photos.csv', delimiter: ';', bom: true, columns: [{ path: 'title' }] } },
    works: { call: 'scholarSearch', each: 'cities.csv', with: { query: '${$.city} coffee' } },
    authors: { call: 'scholarAuthor', each: ['works'], with: { author_id: '$.authors[].author_id' } },
    again: { call: 'authorProfiles', each: 'works' },
    byReviewer: { call: 'scholarProfiles', each: 'reviews', with: { mauthors: '$.user.name' } },
    byPlace: { call: 'scholarProfiles', each: 'reviews', with: { mauthors: '$.place' } },
  },
});

defineFlow({
  name: 'no such operation',
  // @ts-expect-error mapSearch is none
  stages: { places: { call: 'mapSearch', with: { query: 'coffee' } } },
});

defineFlow({
  name: 'no such parameter',
  // @ts-expect-error querry is none
  stages: { places: { call: 'mapsSearch', with: { query: 'coffee', querry: 'tea' } } },
});

defineFlow({
  name: 'a parameter is missing',
  // @ts-expect-error query is required
  stages: { places: { call: 'mapsSearch', with: { ll: '@40.74,-73.98,14z' } } },
});

defineFlow({
  name: 'a value of a wrong type',
  // @ts-expect-error page is a number
  stages: { places: { call: 'mapsSearch', with: { query: 'coffee', page: 'first' } } },
});

defineFlow({
  name: 'a value that is none of those there are',
  // @ts-expect-error sort_by has no newest
  stages: { reviews: { call: 'mapsReviews', with: { data_id: 'a', sort_by: 'newest' } } },
});

defineFlow({
  name: 'no such field of the row',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee' } },
    // @ts-expect-error rows of places have no dataId
    reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.dataId' } },
  },
});

defineFlow({
  name: 'no such field of a field',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee' } },
    // @ts-expect-error gps_coordinates have no height
    reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, keep: { height: '$.gps_coordinates.height' } },
  },
});

defineFlow({
  name: 'no such stage',
  stages: {
    places: { call: 'mapsSearch', with: { query: 'coffee' } },
    // @ts-expect-error there is no stage place
    reviews: { call: 'mapsReviews', each: 'place', with: { data_id: '$.data_id' } },
  },
});

defineFlow({
  name: 'a row where none is run over',
  // @ts-expect-error the stage runs over nothing
  stages: { places: { call: 'mapsSearch', with: { query: '$.city' } } },
});

const places = { call: 'mapsSearch', with: { query: 'coffee' } } as const;

defineFlow({
  name: 'fields, keys and endings that are right',
  stages: {
    places: { ...places, where: { rating: { '>=': 4 }, 'gps_coordinates.latitude': { '>': 0 } }, pick: ['title', 'types'], by: 'place_id' },
    reviews: {
      call: 'placeReviews',
      each: 'places',
      keep: { place: '$.title' },
      where: { place: 'x' },
      pick: ['place', 'user.name'],
      to: 'a.csv.gz',
    },
    topics: {
      call: 'mapsReviews',
      each: 'places',
      with: { data_id: '$.data_id' },
      rows: 'topics',
      by: ['id'],
      to: ['a.parquet', 'b.sqlite'],
    },
  },
});

defineFlow({
  name: 'a condition on a field that is none',
  // @ts-expect-error places have no ratng
  stages: { places: { ...places, where: { ratng: { '>=': 4 } } } },
});

defineFlow({
  name: 'a comparison that is none',
  // @ts-expect-error it is >=
  stages: { places: { ...places, where: { rating: { '=>': 4 } } } },
});

defineFlow({ name: 'all fields but one', stages: { places: { ...places, pick: ['!types'] } } });
defineFlow({
  name: 'all fields but one that is none',
  // @ts-expect-error places have no typse
  stages: { places: { ...places, pick: ['!typse'] } },
});
defineFlow({
  name: 'picked fields that are none',
  // @ts-expect-error places have no titel
  stages: { places: { ...places, pick: ['title', 'titel'] } },
});

defineFlow({
  name: 'a key that is none',
  // @ts-expect-error places have no placeid
  stages: { places: { ...places, by: 'placeid' } },
});

defineFlow({
  name: 'a key of a stage that is none',
  // @ts-expect-error it is pages
  stages: { places: { ...places, page: 2 } },
});

defineFlow({
  name: 'an ending that is none',
  // @ts-expect-error no format is called xlsx
  stages: { places: { ...places, to: 'places.xlsx' } },
});

defineFlow({
  name: 'no such option of a file',
  // @ts-expect-error delimeter is none
  stages: { places: { ...places, to: { file: 'places.csv', delimeter: ';' } } },
});

defineFlow({
  name: 'no such format, with options',
  // @ts-expect-error xlsx is no ending
  stages: { places: { ...places, to: ['places.csv', { file: 'places.xlsx' }] } },
});
