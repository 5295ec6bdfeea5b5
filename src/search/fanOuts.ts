import type { FanOutSpec } from '../contract/Service.ts';

const specs = {
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
} as const satisfies { readonly [name: string]: FanOutSpec };

export type FanOuts = typeof specs;
/** The ready fan-outs. */
export const fanOuts: FanOuts = specs;
