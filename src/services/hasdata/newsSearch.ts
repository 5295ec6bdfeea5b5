import { madeOperation } from '../../contract/madeOperation.ts';
import { news, params, sent } from './shared.ts';

export const newsSearch = madeOperation({ ...news, about: 'News articles.', query: sent, params });
