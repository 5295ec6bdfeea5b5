import { escapeHtml } from './format.ts';

const maxColumns = 60;
const maxChars = 300;

/** The first rows of a file as a table with a column for each field: those of `first`, then the others in order. */
export function sampleTable(rows: readonly unknown[], first: readonly string[] = []): string {
  const objects = rows.map((row) => (typeof row === 'object' && row !== null ? new Map(Object.entries(row)) : new Map([['value', row]])));
  const named = new Set(objects.flatMap((row) => [...row.keys()]));
  const columns = [...first.filter((column) => named.delete(column)), ...named];
  const shown = columns.slice(0, maxColumns);
  const head = shown.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const body = objects.map((row) => `<tr>${shown.map((column) => cell(row.get(column))).join('')}</tr>`).join('\n');
  const more = columns.length > shown.length ? `<p class="mute">${columns.length - shown.length} more columns are not shown.</p>` : '';
  return `<div class="scroll" tabindex="0"><table class="sample"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>${more}`;
}

function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '<td></td>';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const cut = text.length > maxChars ? `${text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')}…` : text;
  return `<td><div><bdi>${escapeHtml(cut)}</bdi></div></td>`;
}
