import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { StageProgress } from '../run/FlowProgress.ts';
import { escapeHtml, formatCount, scrolled } from './format.ts';
import type { Preview } from './previewsOf.ts';
import { readingOrder } from './columnNames.ts';

const maxColumns = 60;
const fewColumns = 4; // leaves room for long values
const maxChars = 300;

/** The first rows of a stage as a table. */
export function previewTable({ columns, rows }: Preview): string {
  const shown = readingOrder(columns.map((name, index) => ({ name, index }))).slice(0, maxColumns);
  const head = shown.map(({ name }) => `<th scope="col">${escapeHtml(name)}</th>`);
  const body = rows.map((row) => `<tr>${shown.map(({ index }) => cell(row[index])).join('')}</tr>`).join('\n');
  const more = columns.length > maxColumns ? `<p class="mute">${columns.length - maxColumns} more columns are not shown.</p>` : '';
  const kind = columns.length <= fewColumns ? 'sample few' : 'sample';
  const table = `<table class="${kind}"><thead><tr>${head.join('')}</tr></thead><tbody>${body}</tbody></table>`;
  return `${scrolled(table, 'First rows')}${more}`;
}

function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '<td></td>';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const cut = text.length > maxChars ? `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')}…` : text;
  return `<td><div><bdi>${escapeHtml(cut)}</bdi></div></td>`;
}

/** Says that all of them are in a file of the run. */
type AllIn = (file: string) => string;

/**
 * The first queries of each stage that found nothing, as tables: the columns that they keep, else their parameters. '' if there are none.
 */
export function withoutRows(stages: readonly StageProgress[], allIn: AllIn): string {
  const tables = stages.flatMap(({ name, empty = 0, emptyQueries = [] }) => {
    if (emptyQueries.length === 0) return [];
    const columns = [...new Set(emptyQueries.flatMap((query) => Object.keys(query)))];
    const rows = emptyQueries.map((query) => columns.map((column) => ownValue(query, column)));
    const first = empty > rows.length ? `, the first ${rows.length}` : '';
    return [`<h3>${escapeHtml(name)}: ${formatCount(empty)}${first}</h3>${previewTable({ columns, rows })}`];
  });
  return tables.length === 0 ? '' : tables.join('') + allIn('empty.jsonl');
}
