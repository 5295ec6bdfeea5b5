import { madeOperation } from '../../contract/madeOperation.ts';
import { web, webTask } from './webSearch.ts';

export const lightSearch = madeOperation({
  ...web,
  post: '/serp/google/organic/live/regular',
  about: 'Web pages, with a smaller response.',
  body: [webTask],
});
