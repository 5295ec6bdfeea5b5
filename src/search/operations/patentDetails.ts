import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowAt } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const spec = {
  name: 'patentDetails',
  title: 'Patent details',
  group: 'Patents',
  get: '/patents/details',
  about: 'One patent, with its people, dates, events and applications in other countries.',
  params: {
    patent_id: { type: 'string', required: true, about: 'the patent' },
    language: shared.language,
    html: shared.html,
  },
  response: {
    title: 'string',
    type: 'string',
    pdf: 'string',
    publication_number: 'string',
    country: 'string',
    application_number: 'string',
    prior_art_keywords: ['string'],
    prior_art_date: 'string: YYYY-MM-DD',
    priority_date: 'string: YYYY-MM-DD',
    filing_date: 'string: YYYY-MM-DD',
    publication_date: 'string: YYYY-MM-DD',
    inventors: [{ name: 'string', link: 'string' }],
    assignees: ['string'],
    // By year.
    worldwide_applications: {
      $map: [
        {
          filing_date: 'string',
          country_code: 'string',
          application_number: 'string',
          document_id: 'string',
          legal_status_cat: 'string',
          legal_status: 'string',
        },
      ],
    },
    events: [
      {
        date: "string: a date, or for a legal status the text 'Status'",
        title: 'string',
        type: '~filed|priority|publication|granted|legal-status',
        critical: 'boolean',
        'document_id?': 'string',
        'assignee_search?': 'string',
        'current?': 'boolean',
      },
    ],
    external_links: [{ text: 'string', link: 'string' }],
    images: ['string: URL'],
    // Entries may repeat.
    classifications: [{ code: 'string', description: 'string', leaf: 'boolean', first_code: 'boolean', is_cpc: 'boolean' }],
    abstract: 'string',
  },
  rows: null,
} as const;

export const patentDetails: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type PatentDetailsQuery = QueryOf<typeof spec>;
export type PatentDetailsData = DataOf<typeof spec>;
export type PatentEvent = RowAt<PatentDetailsData, 'events'>;
