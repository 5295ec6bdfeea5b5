import { madeOperation } from '../../contract/madeOperation.ts';
import { scholarAuthor as ours } from '../../search/operations/scholarAuthor.ts';

const { author_id, citation_id, language } = ours.params;

export const scholarCitation = madeOperation({
  get: '/search.json',
  about: 'The details of one article of an author.',
  query: { engine: 'google_scholar_author', view_op: 'view_citation', hl: '${language}' },
  params: { author_id, citation_id: { ...citation_id, required: true }, language },
  response: { 'citation?': 'object' },
  rows: null,
});
