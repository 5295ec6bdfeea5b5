import { madeOperation } from '../../contract/Operation.ts';
import { shared } from '../../search/shared.ts';
import { domainParams, pages, sent, start } from './shared.ts';

export const lightSearch = madeOperation({
  ...pages,
  get: '/scrape/google-light/serp',
  about: 'Web pages, with less beside them.',
  query: sent,
  params: { ...domainParams, ...start, nfpr: shared.nfpr, lr: shared.lr },
});
