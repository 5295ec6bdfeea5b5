import { madeOperation } from '../../contract/madeOperation.ts';
import { job } from './codes.ts';
import { country, depth, language, resultOf, spoken } from './shared.ts';

/** Products have a number here, and no token. The fields of a seller are guesses. */
export const immersiveProduct = madeOperation({
  post: '/merchant/google/sellers/task_post',
  about: 'The sellers of one product, with their prices.',
  body: [{ product_id: '${product_id}', ...spoken, depth: '${depth}' }],
  params: {
    product_id: { type: 'string', required: true, about: 'the product' },
    country,
    language,
    ...depth(10, 200),
  },
  response: resultOf({
    'title?': 'string|null',
    'url?': 'string|null',
    'domain?': 'string|null',
    'price?': { $nullable: { 'current?': 'number|null', 'currency?': 'string|null' } },
  }),
  rows: 'items[type=shops_list]',
  columns: { name: 'title', link: 'url', price: 'price.current' },
  job: job('/merchant/google/sellers/task_get/advanced/${id}'),
});
