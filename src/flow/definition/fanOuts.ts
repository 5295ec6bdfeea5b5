import type { OperationName } from '../../search/index.ts';

/** A ready fan-out: an operation with the part of its query that comes from the parent's row. */
export interface FanOut {
  readonly call: OperationName;
  readonly with: { readonly [param: string]: string };
  readonly about: string;
}

/** What `call` may name besides operations. Rows that lack one of these fields are left out. */
export const fanOuts: { readonly [name: string]: FanOut | undefined } = {
  placeReviews: { call: 'mapsReviews', with: { data_id: '$.data_id' }, about: 'reviews of each place' },
  placePhotos: { call: 'mapsPhotos', with: { data_id: '$.data_id' }, about: 'photos of each place' },
  placePosts: { call: 'mapsPosts', with: { data_id: '$.data_id' }, about: 'posts of each place' },
  localPlaces: {
    call: 'mapsSearch',
    with: { query: '$.title', place_id: '$.place_id' },
    about: 'the place of each local result of a web search',
  },
  authorProfiles: { call: 'scholarAuthor', with: { author_id: '$.authors[].author_id' }, about: 'the profile of each author of a work' },
  workVersions: {
    call: 'scholarSearch',
    with: { query: '$.title', cluster: '$.inline_links.versions.cluster_id' },
    about: 'all versions of each work',
  },
  hotelDetails: { call: 'hotelSearch', with: { query: '$.title', property_token: '$.property_token' }, about: 'the details of each hotel' },
  productOptions: { call: 'immersiveProduct', with: { page_token: '$.token' }, about: "the product of each of a product's more_options" },
  newsTopics: { call: 'newsSearch', with: { query: '$.title', topic_token: '$.topic_token' }, about: 'the news of each of menu_links' },
};
