import type { RowsPart, TableInfo } from '../api.ts';
import { formatBytes, formatCount } from '../../flow/report/format.ts';
import { readingOrder } from '../../flow/report/columnNames.ts';
import { address, filterColumn, go, hiddenColumns, hrefWith, runParams, viewOf } from './address.ts';
import { h, setText } from './dom.ts';
import { facets } from './facets.ts';
import { filterBar } from './filterBar.ts';
import { mapOf } from './mapOf.ts';
import { RowDialog } from './RowDialog.ts';
import { rowsTable } from './rowsTable.ts';
import { sqlBox } from './sqlBox.ts';
import { aMoment, get } from './server.ts';
import { readText, showError } from './words.ts';

const pageRows = 100;
const growMs = 5000;

/** Shows the files of a run as tables. */
export function showData(element: HTMLElement): () => void {
  const choice = h('select', {
    id: 'file',
    change: () =>
      go(
        hrefWith({
          file: choice.value,
          q: undefined,
          f: undefined,
          sort: undefined,
          page: undefined,
          row: undefined,
          hide: undefined,
          sql: undefined,
        }),
      ),
  });
  const about = h('p', { class: 'mute' });
  const bar = filterBar();
  const actions = h('div', { class: 'actions' });
  const sql = sqlBox();
  const frequent = facets();
  const map = h('div');
  const count = h('p', { class: 'count', role: 'status' });
  const hint = h('p', { class: 'mute', hidden: true }, 'Click a heading to sort by its column.');
  const reading = h('progress', { 'aria-label': 'How much of the file was read', hidden: true, max: 1 });
  const table = rowsTable();
  const pager = h('nav', { class: 'pager', 'aria-label': 'Pages of the table' });
  const rowDialog = new RowDialog();
  const top = h('div', { class: 'choice' }, h('label', { for: 'file' }, 'File'), choice);
  element.append(
    h('h1', {}, 'Data'),
    top,
    about,
    bar.element,
    actions,
    map,
    sql.element,
    h(
      'div',
      { class: 'with-facets' },
      frequent.element,
      h('div', {}, h('div', { class: 'counts' }, count, reading, hint), table.element, pager),
    ),
  );
  let tables: readonly TableInfo[] = [];
  let current: TableInfo | undefined;
  let latest = 0;
  let shown = '';
  let revealed = ''; // the filter whose column was brought into view

  const list = async (): Promise<void> => {
    tables = await get<readonly TableInfo[]>('tables', runParams());
    const names = tables.map((one) => h('option', { value: one.file }, one.file));
    if (names.map(({ value }) => value).join('\n') !== Array.from(choice.options, ({ value }) => value).join('\n'))
      choice.replaceChildren(...names);
  };

  const update = async (): Promise<void> => {
    const file = address().params.get('file');
    current = tables.find((one) => one.file === file) ?? tables[0];
    if (current === undefined) return empty();
    const turn = ++latest;
    choice.value = current.file;
    const { stage, call, bytes, growing, columns, fault } = current;
    setText(
      about,
      [
        stage && `stage ${stage}`,
        call && `operation ${call}`,
        formatBytes(bytes),
        `${columns.length} columns`,
        growing && "the run isn't done, so rows may be missing",
      ]
        .filter(Boolean)
        .join(' · '),
    );
    const view = viewOf(current.file);
    bar.show(current);
    sql.show(current);
    actions.replaceChildren(columnChoice(current, actions.querySelector('details')?.open === true));
    if (fault !== undefined) throw new Error(fault);
    const page = Math.max(0, Number(address().params.get('page') ?? 1) - 1);
    const part = new URLSearchParams(view);
    part.set('offset', String(page * pageRows));
    part.set('limit', String(pageRows));
    table.element.setAttribute('aria-busy', 'true');
    const progress = (read: number): void => {
      if (turn !== latest) return;
      setText(count, readText(read));
      reading.hidden = false;
      reading.value = read;
    };
    const showRows = async (info: TableInfo): Promise<void> => {
      for (;;) {
        const found = await get<RowsPart>('rows', part, progress);
        if (turn !== latest) return;
        showPart(found, part, page, info);
        if (found.total !== undefined || found.onlyFirst !== undefined || !element.isConnected) return;
        await aMoment();
      }
    };
    try {
      await Promise.all([showRows(current), mapOf(map, current, view), frequent.show(current, view), rowDialog.follow(current, tables)]);
    } finally {
      if (turn === latest) table.element.setAttribute('aria-busy', 'false');
    }
  };

  const showPart = (found: RowsPart, part: URLSearchParams, page: number, info: TableInfo): void => {
    const total = found.total ?? info.rows;
    setText(count, countText(found, page, total));
    hint.hidden = false;
    reading.hidden = true;
    const key = JSON.stringify([part.toString(), found.rows, [...hiddenColumns()]]);
    if (key !== shown || !table.isShown()) table.show(info, found.rows);
    shown = key;
    const [filtered, file] = [address().params.getAll('f').at(-1), info.file];
    if (revealed !== `${file} ${filtered}` && filtered !== undefined) table.reveal(filterColumn(filtered));
    revealed = `${file} ${filtered}`;
    showPages(pager, page, found.onlyFirst ?? total ?? (found.rows.length < pageRows ? 0 : undefined));
  };

  const empty = (): void => {
    element.replaceChildren(
      h('h1', {}, 'Data'),
      h(
        'p',
        { class: 'empty' },
        'There are no rows yet. They appear here as soon as the run has committed its first pages. ',
        h('a', { href: '' }, 'Look again'),
      ),
    );
  };
  const refresh = (): void => void update().catch(fail);
  const fail = (error: unknown): void => {
    setText(count, '');
    hint.hidden = true;
    table.clear();
    pager.replaceChildren();
    showError(table.element, error);
  };
  const start = (): void => void list().then(update).catch(fail);
  const isWatched = (): boolean => tables.some(({ growing }) => growing) && document.visibilityState === 'visible';
  const timer = setInterval(() => {
    if (isWatched() && !document.querySelector('dialog[open]')) start();
  }, growMs);
  addEventListener('hashchange', refresh);
  start();
  return () => {
    clearInterval(timer);
    removeEventListener('hashchange', refresh);
    rowDialog.close();
  };
}

function countText({ rows, onlyFirst }: RowsPart, page: number, total: number | undefined): string {
  const range = `Rows ${formatCount(page * pageRows + 1)} to ${formatCount(page * pageRows + rows.length)}`;
  if (rows.length === 0) return total === 0 ? 'No rows fit.' : 'There are no rows here. Go back to the first page.';
  const of = total === undefined ? '' : ` of ${formatCount(total)}`;
  if (onlyFirst === undefined) return `${range}${of}`;
  return `${range}${of}. Only the first ${onlyFirst} are shown. DuckDB shows all, sorts and filters them: npm install @duckdb/node-api`;
}

function showPages(element: HTMLElement, page: number, total: number | undefined): void {
  const last = total === undefined ? Infinity : Math.max(0, Math.ceil(total / pageRows) - 1);
  const link = (text: string, to: number): HTMLElement => {
    if (to === page || to < 0 || to > last) return h('span', { class: 'mute' }, text);
    return h('a', { href: hrefWith({ page: to === 0 ? undefined : String(to + 1) }) }, text);
  };
  const ends = Number.isFinite(last) ? [link('Last', last)] : [];
  element.replaceChildren(...(last === 0 ? [] : [link('First', 0), link('Previous', page - 1), link('Next', page + 1), ...ends]));
}

/** Which columns are shown. */
function columnChoice({ columns }: TableInfo, open: boolean): HTMLElement {
  const hidden = hiddenColumns();
  const boxes = readingOrder(columns).map(({ name }) => {
    const change = (): void => {
      const others = [...hiddenColumns()].filter((one) => one !== name);
      go(hrefWith({ hide: box.checked ? others : [...others, name] }));
    };
    const box = h('input', { type: 'checkbox', checked: !hidden.has(name), change });
    return h('label', {}, box, name);
  });
  const words = hidden.size === 0 ? 'Columns' : `Columns (${hidden.size} hidden)`;
  const all = h('a', { href: hrefWith({ hide: undefined }) }, 'Show all');
  return h('details', { class: 'columns', open }, h('summary', {}, words), h('div', {}, ...boxes, hidden.size > 0 && all));
}
