import { madeOperation } from '../../contract/madeOperation.ts';
import { patentDetails as ours } from '../../search/operations/patentDetails.ts';

export const patentDetails = madeOperation({
  get: '/search.json',
  about: 'One patent, with its people, dates, events and applications in other countries.',
  query: { engine: 'google_patents_details', patent_id: 'patent/${patent_id}' },
  params: {
    patent_id: { ...ours.params.patent_id, about: 'the number of the patent, such as US11734097B1, and a language: US11734097B1/en' },
  },
  response: {
    title: 'string',
    'type?': 'string',
    'pdf?': 'string',
    'publication_number?': 'string',
    'country?': 'string',
    'application_number?': 'string',
    'prior_art_keywords?': ['string'],
    'prior_art_date?': 'string: YYYY-MM-DD',
    'priority_date?': 'string: YYYY-MM-DD',
    'filing_date?': 'string: YYYY-MM-DD',
    'publication_date?': 'string: YYYY-MM-DD',
    'inventors?': [{ name: 'string', 'link?': 'string' }],
    'assignees?': ['string'],
    'worldwide_applications?': { $map: 'array' },
    'events?': 'array',
    'external_links?': 'array',
    'images?': ['string'],
    'classifications?': 'array',
    'abstract?': 'string',
    'claims?': 'array',
    'description_link?': 'string',
    'patent_citations?': 'object',
    'similar_documents?': 'array',
    'legal_events?': 'array',
  },
  rows: null,
});
