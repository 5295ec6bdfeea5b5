import { rowText } from '../../../operators/kit/path.ts';
import { changedFields } from '../data/changesOf.ts';
import type { Relation, RowsPart, TableInfo } from '../api.ts';
import { formatCount } from '../../flow/report/format.ts';
import { readingOrder } from '../../flow/report/columnNames.ts';
import { filterText, go, hrefOf, hrefWith, address, runParams } from './address.ts';
import { h, scrollTable, setText, type Child } from './dom.ts';
import { get } from './server.ts';
import { nestedIn, linkedText } from './cellText.ts';
import { readText, showError } from './words.ts';

interface Fields {
  readonly [name: string]: unknown;
}

/** A row in full, with its source and the rows of other tables that belong to it. The address names the row. */
export class RowDialog {
  #dialog: HTMLDialogElement | undefined;
  #shown: string | undefined;

  /** Opens or closes the dialog, as the address says. */
  async follow(table: TableInfo, tables: readonly TableInfo[]): Promise<void> {
    const n = address().params.get('row');
    const key = n === null ? undefined : `${table.file} ${n}`;
    if (key === this.#shown) return;
    this.close();
    this.#shown = key;
    if (n === null) return;
    const body = h('div');
    const leave = (): void => {
      if (this.#dialog !== dialog) return;
      this.close();
      go(hrefWith({ row: undefined }));
    };
    const dialog = openDialog(`Row ${Number(n) + 1} of ${table.file}`, leave, body);
    this.#dialog = dialog;
    try {
      const row = await get<Fields>('row', runParams({ file: table.file, n }));
      const about = new Map(table.columns.map((column) => [column.name, column.about]));
      body.append(table.kind === 'changes' ? changeOf(row) : fieldsOf(row, about), sourceOf(row, table));
      body.append(...table.related.map((one) => relatedOf(row, one, tables)));
    } catch (error) {
      showError(body, error);
    }
  }

  close(): void {
    const dialog = this.#dialog;
    this.#dialog = this.#shown = undefined;
    dialog?.close();
    dialog?.remove();
  }
}

function fieldsOf(row: Fields, about?: ReadonlyMap<string, string | undefined>): HTMLElement {
  const fields = readingOrder(Object.entries(row).map(([name, value]) => ({ name, value }))).flatMap(({ name, value }) => {
    const meaning = about?.get(name);
    return [h('dt', {}, name, meaning !== undefined && h('small', {}, meaning)), h('dd', {}, valueOf(name, value))];
  });
  return h('dl', { class: 'fields' }, ...fields);
}

/** A value, with all values inside of it. */
function valueOf(name: string, value: unknown): Child {
  if (value === null || value === undefined || value === '') return muted('nothing');
  if (Array.isArray(value))
    return value.length === 0 ? muted('an empty list') : h('ol', {}, ...value.map((one) => h('li', {}, valueOf(name, one))));
  if (typeof value === 'object') return Object.keys(value).length === 0 ? muted('an empty object') : fieldsOf(value as Fields);
  const text = String(value as string | number | boolean);
  const inside = nestedIn(text);
  return inside === undefined ? linkedText(name, text) : valueOf(name, inside);
}

const muted = (text: string): Node => h('span', { class: 'mute' }, text);

/** A changed field, before and after. */
export function changedCells(name: string, was: object, row: object): readonly HTMLElement[] {
  const [before, after] = [was, row].map((one) => valueOf(name, (one as Fields)[name]));
  return [h('td', {}, name), h('td', {}, h('del', {}, before)), h('td', {}, h('ins', {}, after))];
}

/** What an update changed in a row. */
function changeOf(line: Fields): HTMLElement {
  const { row, was, fields } = changedFields(line);
  if (fields.length === 0) return fieldsOf(row as Fields);
  const lines = fields.map((name) => h('tr', {}, ...changedCells(name, was, row)));
  return scrollTable('What changed', ['field', 'before', 'after'], Infinity, lines);
}

function sourceOf(row: Fields, { call, stage, kind }: TableInfo): HTMLElement {
  const source = row['_source'];
  const words = call === undefined ? 'Where it comes from isn’t known here.' : `It comes from ${call}, in the stage ${stage}.`;
  const more = h('p', { class: 'mute' }, 'To keep the query and the response of each row, set "provenance": true in the stage.');
  const fields = typeof source === 'object' && source !== null ? fieldsOf(source as Fields) : more;
  return h('section', {}, h('h3', {}, 'Source'), h('p', {}, words), kind === 'rows' && call !== undefined && fields);
}

const fewRows = 5;

/** The rows of another table that belong to this one. */
function relatedOf(row: Fields, { file, stage, by, kind, isExact }: Relation, tables: readonly TableInfo[]): HTMLElement {
  const filters = by.map(([own, other]) => filterText('is', other, rowText(row, own)));
  const alike = `with the same ${by.map(([, other]) => other).join(', ')}`;
  const title =
    kind === 'parent'
      ? isExact
        ? `Its row of ${stage}`
        : `Rows of ${stage} that it may come from`
      : isExact
        ? `Its ${stage}`
        : `All ${stage} ${alike}`;
  const element = h('section', {}, h('h3', {}, title));
  const params = new URLSearchParams([
    ...runParams({ file, offset: '0', limit: String(fewRows) }),
    ...filters.map((filter) => ['f', filter]),
  ]);
  const columns = tables.find((one) => one.file === file)?.columns ?? [];
  const reading = h('p', { class: 'mute', role: 'status' });
  element.append(reading);
  get<RowsPart>('rows', params, (read) => setText(reading, readText(read)))
    .then(({ rows, total }) => {
      reading.remove();
      const href = hrefOf('data', { file, f: filters });
      const lines = rows.map(({ n, cells }) => {
        const words = cells.filter((cell, at) => cell !== null && cell !== '' && columns[at]?.type !== 'json').slice(0, 4);
        return h('li', {}, h('a', { href: hrefOf('data', { file, f: filters, row: String(n) }) }, words.join(' · ') || `Row ${n + 1}`));
      });
      const all = h('p', {}, h('a', { href }, `All ${formatCount(total ?? rows.length)} in ${file}`));
      element.append(...(rows.length === 0 ? [h('p', { class: 'mute' }, 'None.')] : [h('ul', {}, ...lines), all]));
    })
    .catch((error: unknown) => showError(element, error));
  return element;
}

/** Opens a dialog with a title and a button that closes it. `closed` is called however it is closed. */
function openDialog(title: string, closed: () => void, ...children: readonly Child[]): HTMLDialogElement {
  const close = h('button', { type: 'button', click: () => dialog.close() }, 'Close');
  const heading = h('div', { class: 'title' }, h('h2', { id: 'dialog-title' }, title), close);
  const ended = (): void => (dialog.remove(), closed());
  const dialog = h('dialog', { 'aria-labelledby': 'dialog-title', close: ended }, heading, children);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
