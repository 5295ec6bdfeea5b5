// Stripe: customers and charges. The next page begins after the last row of this one.
import { defineOperation, defineService } from 'trawler';

const list = (path, about, params, row) =>
  defineOperation({
    get: path,
    about,
    params: { ...params, limit: { type: 'integer', min: 1, max: 100, about: 'rows of a page' } },
    rows: 'data',
    row: { id: 'string', created: 'integer', ...row },
    id: 'id',
    query: { starting_after: '${last.id}' },
    more: 'has_more',
  });
const email = { type: 'string', about: 'exactly this address' };
const customer = { type: 'string', about: 'of this customer' };

export default defineService({
  name: 'stripe',
  baseUrl: '/v1',
  headers: { authorization: 'Basic ${basic}' },
  envelope: { error: 'error', message: 'error.message' },
  operations: {
    customers: list('/customers', 'Customers, newest first.', { email }, { 'email?': 'string|null', 'name?': 'string|null' }),
    charges: list('/charges', 'Charges, newest first.', { customer }, { amount: 'integer', currency: 'string' }),
  },
});
