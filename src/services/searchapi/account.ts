import { madeOperation } from '../../contract/madeOperation.ts';

export const account = madeOperation({
  get: '/me',
  about: 'The credits that are left. It costs none.',
  response: {
    account: { 'current_month_usage?': 'integer', 'monthly_allowance?': 'integer', remaining_credits: 'integer: may be below 0' },
    'api_usage?': { 'searches_this_hour?': 'integer', 'hourly_rate_limit?': 'integer' },
    'subscription?': 'object',
  },
  rows: null,
});
