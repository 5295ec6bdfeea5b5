import type { FanOutSpec } from '../contract/Service.ts';

const ofPlace = { with: { data_id: '$.data_id' }, walks: true } as const;

const specs = {
  placeReviews: { ...ofPlace, call: 'mapsReviews', about: 'reviews of each place', claims: '$.reviews' },
  placePhotos: { ...ofPlace, call: 'mapsPhotos', about: 'photos of each place' },
  placePosts: { ...ofPlace, call: 'mapsPosts', about: 'posts of each place' },
  reviewsByTopic: {
    call: 'mapsReviews',
    about: 'reviews of each topic that a page of reviews lists',
    rows: 'topics',
    with: { data_id: '$query.data_id', topic_id: '$.id' },
    walks: true,
  },
  photosByCategory: {
    call: 'mapsPhotos',
    about: 'photos of each category that a page of photos lists',
    rows: 'categories',
    with: { data_id: '$query.data_id', category_id: '$.id' },
    walks: true,
  },
  localPlaces: {
    call: 'mapsSearch',
    about: 'the place of each local result of a web search',
    // The operation demands a query.
    with: { query: ['$.title', '$.place_id'], place_id: '$.place_id' },
    by: ['place_id'],
  },
  authorProfiles: {
    call: 'scholarAuthor',
    about: 'the profile of each author of a work, or of each row of a search for profiles',
    with: { author_id: ['$.authors[].author_id', '$.author_id'] },
  },
  authorCitations: {
    call: 'scholarAuthor',
    about: 'the details of each article of an author',
    with: { author_id: { of: '$.citation_id', before: ':' }, view_op: 'view_citation', citation_id: '$.citation_id' },
    by: ['citation_id'],
  },
  citingWorks: {
    call: 'scholarSearch',
    about: 'the works that cite each work, or each article of an author',
    with: {
      query: [
        '$.title',
        { of: '$.inline_links.cited_by.link', param: 'cites' },
        { of: '$.cited_by.citation_id', before: ',' },
        { of: '$.cited_by.link', param: 'cites' },
        '$.id',
      ],
      cites: [
        { of: '$.inline_links.cited_by.link', param: 'cites' },
        { of: '$.cited_by.citation_id', split: ',' },
        { of: '$.cited_by.link', param: 'cites' },
        '$.id',
      ],
    },
    by: ['cites'],
    unlessZero: ['$.inline_links.cited_by.total', '$.cited_by.value'],
    walks: true,
  },
  workVersions: {
    call: 'scholarSearch',
    about: 'all versions of each work',
    with: { query: ['$.title', '$.inline_links.versions.cluster_id'], cluster: '$.inline_links.versions.cluster_id' },
    by: ['cluster'],
    walks: true,
  },
  hotelDetails: {
    call: 'hotelSearch',
    about: 'the details of each hotel',
    with: { query: ['$.title', '$.name', '$.property_token'], property_token: '$.property_token' },
    by: ['property_token'],
  },
  productOptions: {
    call: 'immersiveProduct',
    about: "the product of each entry of a product's more_options",
    with: { page_token: ['$.token', '$.page_token'] },
  },
  newsTopics: {
    call: 'newsSearch',
    about: 'the news of each topic in menu_links',
    with: { query: ['$.title', '$.topic_token'], topic_token: '$.topic_token' },
    by: ['topic_token'],
  },
  aiOverviews: {
    call: 'aiOverview',
    about: 'the AI overview that a web search names',
    rows: null,
    with: { url: '$.ai_overview_url' },
    expires: true,
  },
} as const satisfies { readonly [name: string]: FanOutSpec };

export type FanOuts = typeof specs;
/** The ready fan-outs, each declared once: for operators and for flows. */
export const fanOuts: FanOuts = specs;
