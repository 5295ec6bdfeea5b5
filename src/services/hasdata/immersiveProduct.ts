import { madeOperation } from '../../contract/madeOperation.ts';
import { immersiveProduct as ours } from '../../search/operations/immersiveProduct.ts';
import { metadata, sentToken } from './shared.ts';

export const immersiveProduct = madeOperation({
  get: '/scrape/google/immersive-product',
  about: 'One product, with its sellers and their prices.',
  query: { pageToken: '${page_token}', moreStores: true, ...sentToken },
  params: { page_token: { ...ours.params.page_token, from: 'a product of webSearch' } },
  response: {
    ...metadata,
    'productResults?': {
      'title?': 'string',
      'brand?': 'string',
      'rating?': 'number',
      'reviews?': 'integer',
      'priceRange?': 'string',
      'stores?': [{ name: 'string', 'link?': 'string', 'price?': 'string' }],
      'storesNextPageToken?': 'string',
      'variants?': 'unknown',
      'userReviews?': 'unknown',
      'aboutTheProduct?': 'unknown',
    },
  },
  rows: 'productResults.stores',
  next: 'productResults.storesNextPageToken',
});
