import { madeOperation } from '../../contract/madeOperation.ts';
import { patentDetails as ours } from '../../search/operations/patentDetails.ts';

export const patentDetails = madeOperation({
  get: '/search',
  about: 'One patent, with its people, dates, events and applications in other countries.',
  query: { engine: 'google_patents_details' },
  params: { patent_id: { ...ours.params.patent_id, about: 'the patent, such as US10000000B2 or patent/US10000000B2/en' } },
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
    'worldwide_applications?': 'unknown',
    'events?': 'array',
    'external_links?': 'array',
    'images?': ['string'],
    'classifications?': 'array',
  },
  rows: null,
});
