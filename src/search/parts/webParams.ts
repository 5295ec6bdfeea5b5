import { shared } from './shared.ts';

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
