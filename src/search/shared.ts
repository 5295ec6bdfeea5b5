import { forms } from './forms.ts';

/** Parameters that several operations share. */
export const shared = {
  language: { type: 'string', form: forms.language, default: 'en', about: 'language of the results, as a two-letter code' },
  country: { type: 'string', form: forms.country, default: 'us', about: 'country to search from, as a two-letter code' },
  html: { type: 'boolean', default: false, about: 'true adds the raw HTML of the results page' },
  safe: { type: 'string', oneOf: ['active', 'off'], default: 'off', about: 'active hides adult content' },
  nfpr: { type: 'string', known: ['0', '1'], default: '0', about: '1 leaves out the results of an auto-corrected query' },
  filter: {
    type: 'string',
    known: ['0', '1'],
    about: 'hides similar and omitted results: 1 on, 0 off. The default is undocumented; elsewhere the interface says 1',
  },
  page: { type: 'integer', min: 0, default: 0, about: 'results page, counted from 0' },
  domain: { type: 'string', about: "domain of the engine to search on. Without it, the engine's main international domain" },
  lr: { type: 'string', form: forms.langRestrict, about: 'only results in this language, such as lang_en' },
  cr: { type: 'string', form: forms.countryRestrict, about: 'only results from this country, such as countryFR' },
  uule: { type: 'string', about: 'place to search from, as an encoded string (advanced)' },
  location: { type: 'string', about: 'place to search from, by name' },
  ludocid: { type: 'string', about: 'CID of one local business (advanced)' },
  lsig: { type: 'string', about: 'signature that some knowledge and local map views need (advanced)' },
  kgmid: { type: 'string', about: 'id of a knowledge graph entity (advanced)' },
  si: { type: 'string', about: 'cached context of a search (advanced)' },
  ibp: { type: 'string', about: 'layout and expansion mode (advanced)' },
  uds: { type: 'string', from: 'an earlier response', about: 'filter token (advanced)' },
  tbs: { type: 'string', about: 'advanced filter, such as a time range' },
  next_page_token: { type: 'string', from: 'an earlier page', about: 'token of the page to read' },
} as const;

/** Pages that lead to the next one by a token. Its paths in the response are a guess, because they aren't documented. */
export const tokenPaging = {
  query: { next_page_token: '${cursor}' },
  next: ['next_page_token', 'pagination.next_page_token', 'pagination.next'],
  ownPaging: { undocumented: true },
} as const;

/**
 * A result of web and mobile search. Their own rows aren't documented, so these are the fields that light search
 * shows, each of which may be absent.
 */
export const organicResult = {
  'title?': 'string',
  'displayed_link?': 'string',
  'snippet?': 'string',
  'date?': 'string: may be empty',
  'missing?': 'array',
  'link?': 'string',
  'favicon?': 'string',
  'rank?': 'integer',
  'page_rank?': 'integer',
} as const;

/** A source that a generated answer names. */
export const reference = {
  title: 'string',
  link: 'string',
  'snippet?': 'string',
  source: 'string: may be empty',
  index: 'integer',
} as const;

/** A paragraph with the words that were made to stand out. */
export const paragraph = {
  type: '=paragraph',
  snippet: 'string',
  snippet_highlighted_words: ['string'],
} as const;

/** A list whose entries may lead to a page. */
export const linkedList = {
  type: '=list',
  list: [{ title: 'string', snippet: 'string', 'link?': 'string' }],
} as const;

/** The parameters of web search in all its sizes, in documented order. */
export const webParams = {
  query: { type: 'string', required: true, about: 'what to search for' },
  page: shared.page,
  html: shared.html,
  language: shared.language,
  lr: shared.lr,
  domain: shared.domain,
  country: shared.country,
  cr: shared.cr,
  uule: shared.uule,
  location: shared.location,
  ludocid: shared.ludocid,
  lsig: shared.lsig,
  kgmid: shared.kgmid,
  si: shared.si,
  ibp: shared.ibp,
  uds: shared.uds,
  tbs: shared.tbs,
  safe: shared.safe,
  nfpr: shared.nfpr,
  filter: shared.filter,
} as const;
