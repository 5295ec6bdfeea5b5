import { dataPath, param, path, rowPath, slashPath, yes } from '../../../operators/options/fieldKinds.ts';
import { either, like, listOf, number, oneOf, tableOf, text, whole } from '../../../operators/options/kinds.ts';
import { declareFields, type OptionKind, type OptionSet } from '../../../operators/options/OptionSet.ts';
import type { Alone, CursorPaging } from '../../../operators/walk/paging/cursorPaging.ts';
import type { More } from '../../../operators/walk/paging/followToken.ts';
import type { LastPaging } from '../../../operators/walk/paging/lastPaging.ts';
import type { MergePaging } from '../../../operators/walk/paging/mergePaging.ts';
import type { OffsetPaging } from '../../../operators/walk/paging/offsetPaging.ts';
import type { Paging } from '../../../operators/walk/paging/pagingKinds.ts';

/** What it names, `checkOperation` looks at. */
function isMore(more: unknown): boolean {
  if (typeof more === 'string') return path().fits(more);
  const fields = typeof more === 'object' && more !== null ? Object.entries(more) : [];
  return fields.length === 1 && fields[0]![0] === 'present' && path().fits(fields[0]![1]);
}

/** What a description of one kind of paging takes, and how help says it. */
interface PagingFields<Of extends Paging> {
  readonly fields: OptionSet;
  /** How to get the next page, in words. */
  text(paging: Of): string;
}

const more = like<More>("a dotted path, or { present: 'path' }", isMore);
const alone: OptionKind<Alone, undefined> = either(yes(), listOf(param()));
const isPlainValue = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

export const pagingFields: { readonly [Kind in Paging['kind']]: PagingFields<Extract<Paging, { readonly kind: Kind }>> } = {
  none: {
    fields: declareFields<Extract<Paging, { readonly kind: 'none' }>>()({ kind: oneOf('none').needed() }),
    text: () => '',
  },
  cursor: {
    fields: declareFields<CursorPaging>()({
      kind: oneOf('cursor').needed(),
      param: param().needed(),
      at: listOf(dataPath()).needed(),
      undocumented: yes(),
      size: whole({ from: 1 }),
      address: yes(),
      link: yes(),
      header: text('the name of a header'),
      first: either(text(), number()),
      more,
      alone,
      path: slashPath(),
      repeats: yes(),
    }),
    text({ param: name, at, address, link, header }) {
      const token = address === true ? 'the address of the next page' : 'the token of the page before';
      const from = link === true ? 'the Link header' : header === undefined ? at.join(' or ') : `the header ${header}`;
      return `${name} takes ${token}, from ${from}`;
    },
  },
  last: {
    fields: declareFields<LastPaging>()({
      kind: oneOf('last').needed(),
      param: param().needed(),
      from: either(rowPath(), listOf(rowPath())).needed(),
      more,
      size: whole({ from: 1 }),
      alone,
    }),
    text: ({ param: name, from }) => `${name} takes ${[from].flat().join(' and ')} of the last row of the page before`,
  },
  merge: {
    fields: declareFields<MergePaging>()({ kind: oneOf('merge').needed(), at: path().needed(), alone }),
    text: ({ at }) => `each member of ${at} is a parameter of the next request`,
  },
  offset: {
    fields: declareFields<Omit<OffsetPaging, 'numbers'>>()({
      kind: oneOf('offset').needed(),
      param: param().needed(),
      first: whole({ from: 0 }),
      step: either(whole({ from: 1 }), oneOf('received')).needed('where pages are counted it is 1'),
      more,
      total: dataPath(),
      pages: dataPath(),
      fixed: tableOf(like<string | number | boolean>('a text, a number, true or false', isPlainValue), param()),
      alone,
      needs: listOf(param()),
    }),
    text({ param: name, step, fixed = {}, needs = [] }) {
      const grows = step === 'received' ? 'the number of rows received' : `${step} a page`;
      const together = Object.entries(fixed).map(([other, value]) => `, with ${other} ${value}`);
      const needed = needs.length === 0 ? '' : `; pages after the first need ${needs.join(' and ')}`;
      return `${name} grows by ${grows}${together.join('')}${needed}`;
    },
  },
};

/** What others call a way of paging, and what it is here. */
export const pagingMeant: { readonly [word: string]: string } = {
  page: "'offset' with step: 1, and first: 1 if pages are counted from 1",
  number: "'offset' with step: 1",
  skip: "'offset' with the number of rows of a page as its step",
  token: "'cursor'",
  scroll: "'cursor' with repeats: true",
  link: "'cursor' with address: true, and link: true for a Link header",
  url: "'cursor' with address: true",
  keyset: "'last'",
};

/** How to get the next page, in words, for help and reference. Empty if there is none. */
export function pagingText(paging: Paging): string {
  return (pagingFields[paging.kind] as PagingFields<Paging>).text(paging);
}
