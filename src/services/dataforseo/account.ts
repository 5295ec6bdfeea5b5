import { madeOperation } from '../../contract/madeOperation.ts';

export const account = madeOperation({
  get: '/appendix/user_data',
  about: 'The money that is left.',
  params: {},
  response: { 'login?': 'string', 'timezone?': 'string', money: { 'total?': 'number', balance: 'number' } },
  rows: null,
});
