import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { domainParams, pages, sent, start } from './shared.ts';

export const lightSearch = madeOperation({
  ...pages,
  get: '/scrape/google-light/serp',
  about: 'Web pages, with less beside them.',
  query: { ...sent, start: '${offset}' },
  params: { ...domainParams, ...start, nfpr: shared.nfpr, lr: shared.lr },
});
