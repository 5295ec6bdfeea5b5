import type { ColumnProfile, ShownColumn, TableInfo } from '../api.ts';
import { formatCount, formatShare } from '../../flow/report/format.ts';
import { filterText, go, hiddenColumns, hrefWith, address, viewOf } from './address.ts';
import { h, setText } from './dom.ts';
import { openDialog } from './openDialog.ts';
import { get } from './server.ts';
import { readText, showError } from './words.ts';

/** A column: what it means, what it holds, and ways to sort and filter by it. */
export class ColumnDialog {
  #dialog: HTMLDialogElement | undefined;

  open(table: TableInfo, name: string): void {
    this.close();
    const column = table.columns.find((one) => one.name === name)!;
    const counting = h('p', { class: 'mute', role: 'status' }, 'Counting…');
    const body = h('div', { 'aria-busy': 'true' }, counting);
    const leave = (href: string): void => {
      dialog.close();
      go(href);
    };
    const button = (text: string, href: string) => h('button', { type: 'button', click: () => leave(href) }, text);
    const filters = address().params.getAll('f');
    const filtered = (kind: string, value?: string): string =>
      hrefWith({ f: [...filters, filterText(kind, name, value)], page: undefined });
    const sorts = [
      button('Sort up', hrefWith({ sort: name, page: undefined })),
      button('Sort down', hrefWith({ sort: `-${name}`, page: undefined })),
    ];
    const actions = h(
      'p',
      { class: 'actions' },
      ...sorts,
      button('Rows without it', filtered('empty')),
      button('Rows with it', filtered('filled')),
      button('Hide', hrefWith({ hide: [...hiddenColumns(), name] })),
    );
    const about = [column.type, column.about].filter((text) => text !== undefined).join(': ');
    const dialog = openDialog(name, () => undefined, h('p', { class: 'mute' }, about), actions, body);
    this.#dialog = dialog;
    const params = viewOf(table.file);
    params.set('column', name);
    get<ColumnProfile>('profile', params, (read) => setText(counting, readText(read)))
      .then((profile) => body.replaceChildren(...profileOf(column, profile, (value) => leave(filtered('is', value)))))
      .catch((error: unknown) => {
        body.replaceChildren();
        showError(body, error);
        for (const one of sorts) one.disabled = true; // what can't be counted can't be sorted
      })
      .finally(() => body.setAttribute('aria-busy', 'false'));
  }

  close(): void {
    this.#dialog?.close();
    this.#dialog = undefined;
  }
}

function profileOf(column: ShownColumn, profile: ColumnProfile, choose: (value: string) => void): readonly HTMLElement[] {
  const { rows, filled, distinct, isDistinctExact, min, max, top, bars } = profile;
  const share = rows === 0 ? 0 : filled / rows;
  const figures: (readonly [string, string])[] = [
    ['Filled', `${formatCount(filled)} of ${formatCount(rows)} (${formatShare(share, column.expected)})`],
    ['Different values', `${isDistinctExact ? '' : 'about '}${formatCount(distinct)}`],
    ['Smallest', min ?? 'none'],
    ['Largest', max ?? 'none'],
  ];
  if (column.expected !== undefined) {
    const words = share >= column.expected ? 'as expected' : 'fewer than expected';
    figures.push(['Expected', `${formatShare(column.expected)} filled: ${words}`]);
  }
  const most = Math.max(...top.map(({ count }) => count), 1);
  const rowsOfTop = top.map(({ value, count }) =>
    h(
      'tr',
      {},
      h('td', {}, h('button', { type: 'button', class: 'plain', click: () => choose(value) }, h('bdi', {}, value))),
      h('td', { class: 'n' }, formatCount(count), h('meter', { min: 0, max: most, value: count, 'aria-hidden': 'true' })),
    ),
  );
  const [tallest, first, last] = [Math.max(...bars.map(({ count }) => count), 1), bars[0]?.from ?? '', bars.at(-1)?.from ?? ''];
  const histogram = h('div', {
    class: 'histogram',
    role: 'img',
    'aria-label': `How the values are spread, from ${first} to ${max ?? last}`,
  });
  for (const { from, count } of bars) {
    const bar = h('div', { title: `from ${from}: ${formatCount(count)}` });
    bar.style.height = `${Math.max(count === 0 ? 0 : 2, (count / tallest) * 100)}%`;
    histogram.append(bar);
  }
  return [
    h('dl', { class: 'tiles' }, ...figures.map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, h('bdi', {}, text))))),
    ...(bars.length === 0 ? [] : [histogram]),
    h('h3', {}, 'Most frequent'),
    top.length === 0 ? h('p', { class: 'mute' }, 'No row has a value.') : h('table', { class: 'top' }, h('tbody', {}, ...rowsOfTop)),
  ];
}
