import type { Paging } from '../../operators/walk/paging/pagingKinds.ts';

/** How to get the next page, in words, for help and reference. Empty if there is none. */
export function pagingText(paging: Paging): string {
  switch (paging.kind) {
    case 'none':
      return '';
    case 'merge':
      return `each member of ${paging.at} is a parameter of the next request`;
    case 'last':
      return `${paging.param} takes ${[paging.from].flat().join(' and ')} of the last row of the page before`;
    case 'cursor': {
      const token = paging.address === true ? 'the address of the next page' : 'the token of the page before';
      const header = paging.link === true ? 'the Link header' : paging.header && `the header ${paging.header}`;
      return `${paging.param} takes ${token}, from ${[...(header ? [header] : []), ...paging.at].join(' or ')}`;
    }
    default: {
      const { param, step, fixed = {}, needs = [] } = paging;
      const grows = step === 'received' ? 'the number of rows received' : `${step} a page`;
      const together = Object.entries(fixed).map(([other, value]) => `, with ${other} ${value}`);
      const needed = needs.length === 0 ? '' : `; pages after the first need ${needs.join(' and ')}`;
      return `${param} grows by ${grows}${together.join('')}${needed}`;
    }
  }
}
