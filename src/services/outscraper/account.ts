import { madeOperation } from '../../contract/madeOperation.ts';

export const account = madeOperation({
  get: '/profile/balance',
  about: 'The money that is left.',
  params: {},
  response: { balance: 'number', 'usage_records?': 'array' },
  rows: null,
});
