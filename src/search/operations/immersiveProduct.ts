import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowAt, RowOf } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const spec = {
  name: 'immersiveProduct',
  title: 'Immersive product',
  group: 'Commerce and travel',
  get: '/immersive/product',
  about: 'One product, with its sellers and their prices.',
  params: {
    page_token: { type: 'string', required: true, from: 'more_options, or a search result', about: 'the product' },
    stores: { type: 'boolean', default: false, about: 'true returns more sellers, starting after the number in sori' },
    sori: { type: 'integer', min: 0, about: 'how many sellers you already have' },
    country: shared.country,
    language: shared.language,
  },
  response: {
    thumbnails: ['string: URL'],
    title: 'string',
    brand: 'string',
    reviews: 'integer|null',
    rating: 'string',
    price_range: 'string',
    stores: [
      {
        name: 'string',
        link: 'string',
        favicon: 'string',
        title: 'string',
        ratings: 'string',
        reviews: 'string',
        payment_method: 'string',
        extensions: ['string'],
        price: 'string',
        'original_price?': 'string',
        delivery_fee: 'string',
        tax: 'string',
        total_price: 'string',
      },
    ],
    about_the_product: {
      title: 'string',
      link: 'string',
      icon: 'string',
      displayed_link: 'string',
      features: [{ title: 'string', value: 'string' }],
      description: 'string',
    },
    more_options: [{ title: 'string', thumbnail: 'string', price: 'string', 'previous_price?': 'string', token: 'string: for page_token' }],
  },
  rows: 'stores',
  query: { sori: '${offset}' },
  ownPaging: { fixed: { stores: true } },
} as const;

export const immersiveProduct: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type ImmersiveProductQuery = QueryOf<typeof spec>;
export type ImmersiveProductData = DataOf<typeof spec>;
export type Seller = RowOf<typeof spec>;
export type ProductOption = RowAt<ImmersiveProductData, 'more_options'>;
