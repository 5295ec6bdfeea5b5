import { madeOperation } from '../../contract/madeOperation.ts';
import { immersiveProduct as ours } from '../../search/operations/immersiveProduct.ts';
import { head, token } from './shared.ts';

export const immersiveProduct = madeOperation({
  get: '/search.json',
  about: 'One product, with its sellers and their prices.',
  query: { engine: 'google_immersive_product', more_stores: 'true', next_page_token: '${cursor}' },
  params: {
    page_token: { ...ours.params.page_token, from: 'immersive_product_page_token of a shopping result' },
    ...token,
  },
  response: {
    ...head,
    'product_results?': {
      'title?': 'string',
      'brand?': 'string',
      'reviews?': 'integer',
      'rating?': 'number',
      'price_range?': 'string',
      'thumbnails?': ['string'],
      'stores?': [
        {
          name: 'string',
          'logo?': 'string',
          link: 'string',
          'title?': 'string',
          'price?': 'string',
          'extracted_price?': 'number',
          'original_price?': 'string',
          'shipping?': 'string',
          'total?': 'string',
          'extracted_total?': 'number',
          'rating?': 'number',
          'reviews?': 'integer',
          'discount?': 'string',
          'tag?': 'string',
          'details_and_offers?': ['string'],
        },
      ],
      'stores_next_page_token?': 'string',
      'about_the_product?': 'object',
      'more_options?': 'array',
    },
  },
  rows: 'product_results.stores',
  columns: { favicon: 'logo', ratings: 'rating', delivery_fee: 'shipping', total_price: 'total', extensions: 'details_and_offers' },
  next: 'product_results.stores_next_page_token',
});
