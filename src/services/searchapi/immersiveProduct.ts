import { madeOperation } from '../../contract/madeOperation.ts';
import { immersiveProduct as ours } from '../../search/operations/immersiveProduct.ts';
import { head, page, sentPage } from './shared.ts';

const { page_token, country, language } = ours.params;

/** Two guesses: that it has pages, and what a seller is. */
export const immersiveProduct = madeOperation({
  get: '/search',
  about: 'The offers of one product.',
  query: { engine: 'google_product_offers', product_token: '${page_token}', gl: '${country}', hl: '${language}', ...sentPage },
  params: { page_token: { ...page_token, from: 'product_token of a shopping result' }, country, language, ...page },
  response: {
    ...head,
    'search_information?': { 'total_offers?': 'integer' },
    'product?': { 'title?': 'string', 'link?': 'string' },
    'offers?': [
      {
        'position?': 'integer',
        'title?': 'string',
        link: 'string',
        'price?': 'string',
        'extracted_price?': 'number',
        'seller?': 'unknown',
      },
    ],
    'pagination?': 'object',
  },
  rows: 'offers',
  ownPaging: { undocumented: true },
  columns: { name: 'seller.name', rank: 'position' },
  total: 'search_information.total_offers',
});
