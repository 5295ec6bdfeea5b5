import { withoutFormula } from '../../sinks/table/csvCell.ts';
import { cellOf, type SourceColumn } from './TableSpec.ts';

export type ExportFormat = 'csv' | 'jsonl';

/** Rows as the text of a file, piece by piece. In CSV, what a spreadsheet would calculate gets an apostrophe. */
export async function* exportRows(
  rows: AsyncIterable<object>,
  columns: readonly SourceColumn[],
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  let text = format === 'csv' ? lineOf(columns.map(({ name }) => name)) : '';
  for await (const row of rows) {
    text += format === 'csv' ? lineOf(columns.map((column) => cellOf(row, column) ?? '')) : `${JSON.stringify(row)}\n`;
    if (text.length < 1 << 16) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function lineOf(cells: readonly string[]): string {
  const quoted = cells.map(withoutFormula).map((cell) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return `${quoted.join(',')}\n`;
}
