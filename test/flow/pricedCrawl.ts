import { defineOperation, defineService } from '../../src/index.ts';
import type { FlowDefinition } from '../../src/flow/index.ts';

const operation = (path: `/${string}`) =>
  defineOperation({
    get: path,
    params: { q: { type: 'string' } },
    response: { rows: [{ id: 'string' }] },
    rows: 'rows',
  });

/** A service whose requests have a price, and a flow of it: places for each word, and the reviews of each place. */
export function pricedCrawl(price: { readonly [operation: string]: number }, words: readonly string[]) {
  const service = defineService({ name: 'priced', price, operations: { places: operation('/places'), reviews: operation('/reviews') } });
  const flow: FlowDefinition = {
    name: 'priced',
    service,
    stages: {
      places: { call: 'places', with: { q: words }, to: 'places.jsonl' },
      reviews: { call: 'reviews', each: 'places', with: { q: '$.id' }, to: 'reviews.jsonl' },
    },
  };
  return { service, flow };
}
