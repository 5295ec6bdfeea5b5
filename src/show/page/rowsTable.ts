import type { ShownRow, TableInfo } from '../api.ts';
import { readingOrder } from '../../flow/report/columnNames.ts';
import { hiddenColumns, hrefWith, address } from './address.ts';
import { h } from './dom.ts';
import { cellText } from './cellText.ts';
import { isNumberType } from '../data/filterKinds.ts';

/** A table with a page of rows. A heading sorts by its column, and the number of a row opens it. */
export function rowsTable(): {
  readonly element: HTMLElement;
  readonly show: (table: TableInfo, rows: readonly ShownRow[]) => void;
  readonly isShown: () => boolean;
  /** Scrolls sideways until a column is visible. */
  readonly reveal: (column: string) => void;
  readonly clear: () => void;
} {
  const head = h('thead');
  const body = h('tbody');
  const element = h('div', { class: 'scroll rows', tabindex: 0, role: 'group', 'aria-label': 'Rows' });
  let shown = '';
  return {
    element,
    isShown: () => body.isConnected,
    reveal(column) {
      const [box, at] = [element, head.querySelector(`th[data-column=${JSON.stringify(column)}]`)].map((one) =>
        one?.getBoundingClientRect(),
      );
      if (box !== undefined && at !== undefined && (at.left < box.left || at.right > box.right)) element.scrollLeft += at.left - box.left;
    },
    clear: () => element.replaceChildren(),
    show({ columns, file }, rows) {
      const sort = address().params.get('sort') ?? '';
      const hidden = hiddenColumns();
      const seen = readingOrder(columns.map((column, place) => ({ ...column, place }))).filter(({ name }) => !hidden.has(name));
      const key = JSON.stringify([file, sort, seen]);
      if (key !== shown || head.childElementCount === 0) {
        shown = key;
        const heads = seen.map((column) => {
          const { name, type, about } = column;
          const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined;
          const arrow = order === undefined ? '' : order === 'ascending' ? ' ↑' : ' ↓';
          const next = order === 'ascending' ? `-${name}` : order === 'descending' ? undefined : name;
          const sorts = h('a', { href: hrefWith({ sort: next, page: undefined }) }, `${name}${arrow}`);
          const kind = isNumberType(column.type) ? 'n' : undefined;
          return h(
            'th',
            { scope: 'col', class: kind, 'aria-sort': order, 'data-column': name, title: [about, type].filter(Boolean).join('. ') },
            sorts,
          );
        });
        head.replaceChildren(h('tr', {}, h('th', { scope: 'col' }, 'row'), ...heads));
      }
      body.replaceChildren(
        ...rows.map(({ n, cells }) => {
          const link = h('a', { href: hrefWith({ row: String(n) }) }, String(n + 1));
          const shownCells = seen.map((column) => {
            const cell = cells[column.place] ?? '';
            return h('td', { class: isNumberType(column.type) ? 'n' : undefined }, cell !== '' && cellText(column.name, cell));
          });
          return h('tr', {}, h('th', { scope: 'row' }, link), ...shownCells);
        }),
      );
      if (head.parentNode === null || element.firstElementChild?.tagName !== 'TABLE')
        element.replaceChildren(h('table', {}, h('caption', { class: 'hidden' }, 'Rows'), head, body));
    },
  };
}
