import type { OperationName } from '../../operations/index.ts';

/** A ready fan-out: an operation with the part of its query that comes from the parent's row. */
export interface FanOut {
  readonly call: OperationName;
  readonly with: { readonly [param: string]: string };
  readonly about: string;
}

/** What `call` may name besides operations. */
export const fanOuts: { readonly [name: string]: FanOut | undefined } = {
  placeReviews: { call: 'mapsReviews', with: { data_id: '$.data_id' }, about: 'reviews of each place' },
  placePhotos: { call: 'mapsPhotos', with: { data_id: '$.data_id' }, about: 'photos of each place' },
  placePosts: { call: 'mapsPosts', with: { data_id: '$.data_id' }, about: 'posts of each place' },
  authorProfiles: { call: 'scholarAuthor', with: { author_id: '$.authors[].author_id' }, about: 'the profile of each author of a work' },
};
