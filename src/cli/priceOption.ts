import { number } from '../../operators/options/index.ts';

/** What the page of a run and a plan count money with. */
export const priceOption = {
  price: { type: 'string', number: number({ from: 0 }), value: 'P', about: 'price of one request, in any currency' },
} as const;
