import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { filters, paged, params } from './shared.ts';

export const webSearch = madeOperation({
  post: '/search',
  about: 'Web pages.',
  body: { ...paged, autocorrect: '${nfpr}' },
  params: { ...params, ...filters, nfpr: { ...shared.nfpr, values: { 0: true, 1: false } } },
  response: {
    'organic?': [
      {
        title: 'string',
        link: 'string',
        'snippet?': 'string',
        position: 'integer',
        'date?': 'string',
        'rating?': 'number',
        'ratingCount?': 'integer',
        'imageUrl?': 'string',
        'sitelinks?': [{ title: 'string', link: 'string' }],
      },
    ],
    'knowledgeGraph?': 'object',
    'answerBox?': 'object',
    'peopleAlsoAsk?': [{ question: 'string', 'snippet?': 'string', 'title?': 'string', 'link?': 'string' }],
    'relatedSearches?': [{ query: 'string' }],
    'topStories?': [{ title: 'string', link: 'string', 'source?': 'string', 'date?': 'string', 'imageUrl?': 'string' }],
    'credits?': 'integer',
  },
  rows: 'organic',
  columns: { rank: 'position' },
});
