import type { Facet, TableInfo } from '../api.ts';
import { formatCount } from '../../flow/report/format.ts';
import { address, filterText, hrefWith } from './address.ts';
import { h, setText } from './dom.ts';
import { get } from './server.ts';
import { readText } from './words.ts';
import { messageOf } from '../../errors/TrawlerError.ts';

const wide = matchMedia('(min-width: 1000px)');

/** The most frequent values of columns with few values, beside the table. A click filters by a value, a second click undoes that. */
export function facets(): { readonly element: HTMLElement; readonly show: (table: TableInfo, view: URLSearchParams) => Promise<void> } {
  const body = h('div');
  const element = h('details', { class: 'facets', open: wide.matches }, h('summary', {}, 'Most frequent values'), body);
  let shown = '';
  return {
    element,
    async show({ file }, view) {
      const key = view.toString();
      if (key === shown) return;
      shown = key;
      const waiting = h('p', { class: 'mute', role: 'status' });
      if (!body.hasChildNodes()) body.append(waiting);
      try {
        const found = await get<readonly Facet[]>('facets', view, (read) => setText(waiting, readText(read)));
        if (key !== shown) return;
        const none = h('p', { class: 'mute' }, `No column of ${file} has only a few values.`);
        body.replaceChildren(...(found.length === 0 ? [none] : found.map(facetOf)));
      } catch (error) {
        body.replaceChildren(h('p', { class: 'mute' }, messageOf(error)));
      }
    },
  };
}

function facetOf({ column, values }: Facet): HTMLElement {
  const filters = address().params.getAll('f');
  const lines = values.map(({ value, count }) => {
    const filter = filterText('is', column, value);
    const isSet = filters.includes(filter);
    const others = filters.filter((one) => one !== filter);
    const href = hrefWith({ f: isSet ? others : [...filters, filter], page: undefined });
    const link = h('a', { href, 'aria-current': isSet ? 'true' : undefined }, h('bdi', {}, value), isSet && ' ✕');
    return h('li', {}, link, h('span', { class: 'n' }, formatCount(count)));
  });
  return h('section', {}, h('h2', {}, column), h('ul', {}, ...(lines.length === 0 ? [h('li', { class: 'mute' }, 'none')] : lines)));
}
