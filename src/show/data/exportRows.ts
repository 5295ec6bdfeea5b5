import { csvCells } from '../../sinks/table/csvCells.ts';
import { cellOf, type SourceColumn } from './TableSpec.ts';

export type ExportFormat = 'csv' | 'jsonl';

/** Rows as the text of a file, piece by piece. In CSV, what a spreadsheet may run gets an apostrophe. */
export async function* exportRows(
  rows: AsyncIterable<object>,
  columns: readonly SourceColumn[],
  format: ExportFormat,
): AsyncGenerator<string, void, undefined> {
  let text = format === 'csv' ? lineOf(columns.map(({ name }) => name)) : '';
  for await (const row of rows) {
    text += format === 'csv' ? lineOf(columns.map((column) => cellOf(row, column))) : `${JSON.stringify(row)}\n`;
    if (text.length < 1 << 16) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

const csv = csvCells({});

/** Empty text is written like nothing, because nobody who looks at the page can tell them apart. */
function lineOf(cells: readonly (string | null)[]): string {
  const values = cells.map((cell) => (cell === '' ? null : cell));
  return csv.line(values, []);
}
