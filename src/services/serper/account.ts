import { madeOperation } from '../../contract/madeOperation.ts';

export const account = madeOperation({
  get: '/account',
  about: 'The credits that are left.',
  params: {},
  response: { balance: 'integer', 'rateLimit?': 'integer' },
  rows: null,
});
