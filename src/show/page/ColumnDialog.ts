import type { ColumnProfile, ShownColumn, TableInfo } from '../api.ts';
import { drawChart } from '../../flow/report/drawCharts.ts';
import { figureTiles } from '../../flow/report/htmlParts.ts';
import { countOf, escapeHtml, formatCount, formatShare } from '../../flow/report/format.ts';
import { filterText, go, hiddenColumns, hrefWith, address, viewOf } from './address.ts';
import { drawnOnce, h, setText } from './dom.ts';
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
  const { rows, filled, distinct, isDistinctExact, min, max, bars } = profile;
  const share = rows === 0 ? 0 : filled / rows;
  const figures: (readonly [string, string])[] = [
    [
      'Filled',
      share === 1 ? `all ${formatCount(rows)}` : `${formatCount(filled)} of ${formatCount(rows)} (${formatShare(share, column.expected)})`,
    ],
    ['Different values', `${isDistinctExact ? '' : 'about '}${formatCount(distinct)}`],
    ['Smallest', endText(min, column)],
    ['Largest', endText(max, column)],
  ];
  if (column.expected !== undefined) {
    const words = share >= column.expected ? 'as expected' : 'fewer than expected';
    figures.push(['Expected', `${formatShare(column.expected)} filled: ${words}`]);
  }
  return [
    drawnOnce(figureTiles(figures.map(([term, text]) => [term, escapeHtml(text)]))),
    ...(bars.length < 2 ? [] : [drawnOnce(histogram(column.name, bars))]),
    ...frequent(profile, choose),
  ];
}

/** An end of what a column holds. Of a time, the minute is enough. */
function endText(end: string | null, { type }: ShownColumn): string {
  return end === null ? 'none' : type === 'timestamp' ? end.replace('T', ' ').slice(0, 16) : end;
}

/** The values that most rows have, if any comes more than once. */
function frequent({ top, distinct, filled }: ColumnProfile, choose: (value: string) => void): readonly HTMLElement[] {
  const most = top[0]?.count ?? 0;
  if (most === 0) return [h('p', { class: 'mute' }, 'No row has a value.')];
  if (most === 1) return [h('p', { class: 'mute' }, filled === 1 ? 'One row has a value.' : 'Every value is different.')];
  const lines = top
    .filter(({ count }) => count > 1)
    .map(({ value, count }) => {
      const button = h('button', { type: 'button', class: 'plain', click: () => choose(value) }, h('bdi', {}, value));
      return h('tr', {}, h('td', {}, button), h('td', { class: 'n' }, formatCount(count), h('meter', { min: 0, max: most, value: count, 'aria-hidden': 'true' }))); // prettier-ignore
    });
  const title = distinct <= lines.length ? 'Values' : 'Most frequent';
  return [h('h3', {}, title), h('table', { class: 'top' }, h('tbody', {}, ...lines))];
}

function histogram(name: string, bars: ColumnProfile['bars']): string {
  const isSingle = bars[0]!.from === bars[0]!.to;
  const every = Math.ceil(bars.length / (bars[0]!.from.length > 4 ? 4 : 8));
  const ends = isSingle ? bars.map(({ from }, at) => ({ at: (at + 0.5) / bars.length, text: from })) : [...bars.map(({ from }, at) => ({ at: at / bars.length, text: from })), { at: 1, text: bars.at(-1)!.to }]; // prettier-ignore
  return drawChart({
    title: `How ${name} is spread`,
    unit: 'rows',
    bars: [{ label: 'rows', colour: 'c1', values: bars.map(({ count }) => count) }],
    ticks: ends.filter((_, at) => at % every === 0),
    say(index) {
      const { from, to, count } = bars[index]!;
      return `${isSingle ? from : `from ${from} to below ${to}`}: ${countOf(count, 'row')}`;
    },
  });
}
