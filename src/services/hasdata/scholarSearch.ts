import { madeOperation } from '../../contract/madeOperation.ts';
import { scholarSearch as ours } from '../../search/operations/scholarSearch.ts';
import { alone } from '../../search/rules.ts';
import { by, hasNext, metadata, start } from './shared.ts';

const { query, cites, as_ylo, as_yhi, scisbd, cluster, language, lr, as_sdt, safe, filter, as_vis, as_rr } = ours.params;

/** Two guesses: its path, and that cites and cluster need no words. */
export const scholarSearch = madeOperation({
  get: '/scrape/google-scholar/scholar',
  about: 'Scholarly works, with how many cite them. It needs words, or cites, or cluster alone.',
  query: {
    q: '${query}',
    start: '${offset}',
    hl: '${language}',
    asYlo: '${as_ylo}',
    asYhi: '${as_yhi}',
    asSdt: '${as_sdt}',
    asVis: '${as_vis}',
    asRr: '${as_rr}',
  },
  params: {
    query: { type: query.type, about: query.about },
    cites,
    as_ylo,
    as_yhi,
    scisbd,
    cluster,
    language,
    lr,
    as_sdt,
    safe,
    filter,
    as_vis,
    as_rr,
    ...start,
  },
  rules: [alone('cluster', 'query', 'cites'), ...ours.spec.rules],
  response: {
    ...metadata,
    'organicResults?': [
      {
        'position?': 'integer',
        resultId: 'string',
        title: 'string',
        'link?': 'string',
        'snippet?': 'string',
        'type?': 'string',
        'publicationInfo?': {
          'summary?': 'string',
          'authors?': [{ name: 'string', 'authorId?': 'string', 'link?': 'string' }],
        },
        'resources?': [{ 'fileFormat?': 'string', 'title?': 'string', 'link?': 'string' }],
        'citedBy?': { 'total?': 'integer', 'citesId?': 'string' },
        'versions?': { 'total?': 'integer', 'clusterId?': 'string' },
        'relatedPagesLink?': 'string',
        'citeHasdataLink?': 'string',
      },
    ],
    ...hasNext,
  },
  rows: 'organicResults',
  columns: {
    id: 'resultId',
    title_link: 'link',
    displayed_link: 'publicationInfo.summary',
    authors: 'publicationInfo.authors',
    'inline_links.cited_by.total': 'citedBy.total',
    'inline_links.cited_by.cites_id': 'citedBy.citesId',
    'inline_links.versions.total': 'versions.total',
    'inline_links.versions.cluster_id': 'versions.clusterId',
    'inline_links.related_pages_link': 'relatedPagesLink',
  },
  id: 'id',
  ...by(10),
  ownPaging: { undocumented: true },
  splits: ours.spec.splits,
});
