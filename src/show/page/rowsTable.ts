import type { ShownRow, TableInfo } from '../api.ts';
import { hrefWith, address } from './address.ts';
import { h } from './dom.ts';

const numeric = new Set(['integer', 'number']);

/** A page of rows. Each heading opens its column, and the number of each row opens the row. */
export function rowsTable(openColumn: (name: string) => void): {
  readonly element: HTMLElement;
  readonly show: (table: TableInfo, rows: readonly ShownRow[]) => void;
  readonly isShown: () => boolean;
  /** Scrolls sideways to a column that can't be seen. */
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
      const key = JSON.stringify([file, sort, columns]);
      if (key !== shown || head.childElementCount === 0) {
        shown = key;
        const heads = columns.map(({ name, type }) => {
          const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined;
          const arrow = order === undefined ? '' : order === 'ascending' ? ' ↑' : ' ↓';
          const button = h('button', { type: 'button', 'aria-haspopup': 'dialog', click: () => openColumn(name) }, `${name}${arrow}`);
          return h('th', { scope: 'col', 'aria-sort': order, 'data-column': name }, button, h('small', {}, type ?? ''));
        });
        head.replaceChildren(h('tr', {}, h('th', { scope: 'col' }, 'row'), ...heads));
      }
      const isNumber = columns.map(({ type }) => numeric.has(type ?? ''));
      body.replaceChildren(
        ...rows.map(({ n, cells }) => {
          const link = h('a', { href: hrefWith({ row: String(n) }) }, String(n + 1));
          return h('tr', {}, h('th', { scope: 'row' }, link), ...cells.map((cell, at) => cellOf(cell, isNumber[at] === true)));
        }),
      );
      if (head.parentNode === null || element.firstElementChild?.tagName !== 'TABLE')
        element.replaceChildren(h('table', {}, h('caption', { class: 'hidden' }, 'Rows'), head, body));
    },
  };
}

function cellOf(cell: string | null, isNumber: boolean): HTMLElement {
  if (cell === null || cell === '') return h('td');
  return h('td', { class: isNumber ? 'n' : undefined }, h('bdi', {}, cell));
}
