import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsPosts as ours } from '../../search/operations/mapsPosts.ts';
import { shared } from '../../search/shared.ts';
import { byToken, hasToken, metadata, sentToken } from './shared.ts';

/** The fields of a post are unknown, so they keep the vendor's names. */
export const mapsPosts = madeOperation({
  get: '/scrape/google-maps/posts',
  about: 'Posts of one business about itself.',
  query: { dataId: '${data_id}', hl: '${language}', ...sentToken },
  params: { data_id: ours.params.data_id, language: shared.language },
  response: { ...metadata, 'posts?': ['object'], ...hasToken },
  rows: 'posts',
  ...byToken,
});
