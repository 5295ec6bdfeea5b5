import { madeOperation } from '../../contract/madeOperation.ts';
import { news, params, sent } from './shared.ts';

export const newsSearch = madeOperation({
  ...news,
  get: '/search.json',
  about: 'News articles. Some are grouped under one story.',
  query: { engine: 'google_news', ...sent },
  params,
});
