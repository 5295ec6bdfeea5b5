import { madeOperation } from '../../contract/madeOperation.ts';
import { shared } from '../../search/shared.ts';
import { deviceType, domainParams, pages, sent, start } from './shared.ts';

/** What the pages of a desktop and of a phone have. */
export const web = {
  ...pages,
  get: '/scrape/google/serp',
  params: {
    ...domainParams,
    ...start,
    nfpr: shared.nfpr,
    lr: shared.lr,
    ludocid: shared.ludocid,
    lsig: shared.lsig,
    kgmid: shared.kgmid,
    si: shared.si,
    tbm: { type: 'string', about: 'the kind of search that Google makes of it (advanced)' },
  },
  answer: { blocks: 'aiOverview.textBlocks', references: 'aiOverview.references' },
} as const;

export const webSearch = madeOperation({
  ...web,
  about: 'Web pages.',
  query: { ...sent, start: '${offset}' },
  params: { ...web.params, deviceType },
});
