import { madeOperation } from '../../contract/madeOperation.ts';

/** Its response repeats the key. */
export const account = madeOperation({
  get: '/account.json',
  about: 'The searches that are left. They are not counted as one.',
  params: {},
  response: {
    'account_status?': 'string',
    'plan_name?': 'string',
    'searches_per_month?': 'integer',
    'extra_credits?': 'integer',
    total_searches_left: 'integer',
    'this_hour_searches?': 'integer',
    'account_rate_limit_per_hour?': 'integer',
  },
  rows: null,
});
