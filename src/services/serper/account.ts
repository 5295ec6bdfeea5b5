import { madeOperation } from '../../contract/Operation.ts';

export const account = madeOperation({
  get: '/account',
  about: 'The credits that are left.',
  params: {},
  response: { balance: 'integer', 'rateLimit?': 'integer' },
  list: null,
  paging: { kind: 'none' },
});
