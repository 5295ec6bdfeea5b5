import type { TableInfo } from '../api.ts';
import { filterKinds, type FilterName } from '../data/filterKinds.ts';
import { filterText, go, hrefWith, address } from './address.ts';
import { h } from './dom.ts';

/** The controls to search and filter a table. They change the address. */
export function filterBar(): { readonly element: HTMLElement; readonly show: (table: TableInfo) => void } {
  const search = h('input', { type: 'search', id: 'search', autocomplete: 'off', spellcheck: 'false' });
  const searching = h(
    'form',
    { role: 'search', submit: (event) => (event.preventDefault(), find()) },
    h('label', { for: 'search' }, 'Search'),
    search,
    h('button', {}, 'Find'),
  );
  const column = h('select', { 'aria-label': 'Column' });
  const kind = h(
    'select',
    { 'aria-label': 'Condition', change: () => ask() },
    ...Object.entries(filterKinds).map(([name, { label }]) => h('option', { value: name }, label)),
  );
  const value = h('input', { type: 'text', 'aria-label': 'Value', autocomplete: 'off' });
  const adding = h(
    'form',
    { submit: (event) => (event.preventDefault(), add()) },
    h('span', { class: 'label' }, 'Filter'),
    column,
    kind,
    value,
    h('button', {}, 'Add'),
  );
  const chips = h('ul', { class: 'chips', 'aria-label': 'Filters that are set' });
  let columns = '';

  const find = (): void => go(hrefWith({ q: search.value, page: undefined }));
  const ask = (): void => void (value.hidden = !filterKinds[kind.value as FilterName].needsValue);
  const add = (): void => {
    const text = filterText(kind.value, column.value, value.hidden ? '' : value.value);
    go(hrefWith({ f: [...address().params.getAll('f'), text], page: undefined }));
    value.value = '';
  };
  return {
    element: h('div', { class: 'bar' }, searching, adding, chips),
    show(table) {
      const names = table.columns.map(({ name }) => name);
      if (columns !== names.join('\n')) column.replaceChildren(...names.map((name) => h('option', { value: name }, name)));
      columns = names.join('\n');
      if (document.activeElement !== search) search.value = address().params.get('q') ?? '';
      const set = address().params.getAll('f');
      const q = address().params.get('q') ?? '';
      chips.replaceChildren(
        ...(q === '' ? [] : [chip(`contains “${q}”`, hrefWith({ q: undefined, page: undefined }))]),
        ...set.map((text, at) => chip(inWords(text), hrefWith({ f: set.filter((_, index) => index !== at), page: undefined }))),
      );
    },
  };
}

function chip(text: string, without: string): HTMLElement {
  return h('li', {}, text, h('a', { href: without, 'aria-label': `Remove: ${text}` }, '✕'));
}

function inWords(text: string): string {
  const [kind = '', column = '', ...value] = text.split(':');
  const label = Object.hasOwn(filterKinds, kind) ? filterKinds[kind as FilterName].label : kind;
  return [decodeURIComponent(column), label, decodeURIComponent(value.join(':'))].filter((part) => part !== '').join(' ');
}
