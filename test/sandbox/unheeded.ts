import type { OperationName } from '../../src/search/operations.ts';

const place = ['domain', 'cr', 'uule', 'lr'] as const;
const web = [...place, 'html', 'language', 'ludocid', 'lsig', 'kgmid', 'si', 'ibp', 'uds', 'tbs', 'safe', 'nfpr', 'filter'] as const;

/**
 * Parameters that the sandbox accepts and ignores: the response is the same with any value. A test checks this list
 * against the code. (`html` adds the page's HTML to the data.)
 */
export const unheeded: { readonly [N in OperationName]: readonly string[] } = {
  webSearch: web,
  lightSearch: web,
  mobileSearch: web,
  autocomplete: [],
  aiMode: ['html', 'country', 'uule', 'location', 'safe'],
  aiOverview: [],
  imageSearch: ['html', 'domain', 'country', 'cr', 'language', 'lr', 'uule', 'tbs', 'nfpr', 'filter'],
  videoSearch: ['html', 'country', 'domain', 'language', 'lr', 'uule', 'tbs', 'safe', 'nfpr'],
  newsSearch: ['so'], // works with a `story_token` only, which isn't a parameter
  jobSearch: ['country', 'language', 'uds', 'uule'],
  financeSearch: ['html', 'language'],
  hotelSearch: ['children_ages', 'html', 'language', 'country'],
  immersiveProduct: ['language'],
  mapsSearch: ['domain', 'language', 'country', 'data'],
  mapsReviews: ['language'],
  mapsPhotos: ['language'],
  mapsPosts: [],
  scholarSearch: ['html', 'language', 'lr', 'safe', 'filter'],
  scholarAuthor: ['language'],
  scholarProfiles: [],
  patentDetails: ['language', 'html'],
};
