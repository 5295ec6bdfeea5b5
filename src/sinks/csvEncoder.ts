import { CsvFormatterStream, FormatterOptions } from 'fast-csv';
import { SinkError } from '../errors/index.ts';
import { ByteBuffer } from './ByteBuffer.ts';
import type { RowEncoder } from './RowEncoder.ts';
import { csvCell, withoutFormula } from './table/csvCell.ts';
import { RowReader } from './table/RowReader.ts';
import { tableColumns } from './table/TableColumn.ts';
import { Unlisted } from './table/Unlisted.ts';
import type { TableOptions } from './TableOptions.ts';

const replacement = '\uFFFD';
const replacementBytes = Buffer.from(replacement);

/** fast-csv's formatter, driven cell by cell instead of as a stream of rows. */
class CellFormatter extends CsvFormatterStream<string[], string[]> {
  #bytes: Buffer | undefined;
  #error: Error | null | undefined;

  constructor(delimiter: string, quote: string) {
    super(new FormatterOptions({ delimiter, quote, quoteColumns: true }));
    this.escape(''); // from the second one on it begins with a line break, which is cut off below
  }

  override push(bytes: unknown): boolean {
    if (Buffer.isBuffer(bytes)) this.#bytes = bytes;
    return true;
  }

  /** What stands between the quotes. */
  escape(cell: string): string {
    this._transform([cell], 'utf8', (error) => {
      this.#error = error;
    });
    if (this.#error) throw this.#error;
    return this.#bytes!.toString('utf8', 2, this.#bytes!.length - 1);
  }
}

interface Table {
  readonly headers: readonly string[];
  readonly reader: RowReader;
}

/**
 * Rows as CSV: every cell quoted, a line feed behind each row. The columns are settled by the first row; a field that
 * has none is counted, or goes to `_extra`. A NUL and half a surrogate pair, which CSV can't carry, become U+FFFD.
 */
export function csvEncoder(options: TableOptions): RowEncoder {
  const { delimiter = ',', quote = '"' } = options;
  const between = `${quote}${delimiter}${quote}`;
  const formatter = new CellFormatter(delimiter, quote);
  const unlisted = new Unlisted(options);
  const keepFormulas = options.formulas === 'keep';
  let replaced = 0;
  let table: Table | undefined;

  const cellOf = (value: unknown): string => {
    if (typeof value === 'number') return String(value);
    const text = keepFormulas ? csvCell(value) : withoutFormula(csvCell(value));
    return text.includes(quote) ? formatter.escape(withoutNul(text)) : text; // the usual cell has nothing to escape
  };
  const withoutNul = (text: string): string => {
    if (!text.includes('\0')) return text;
    replaced += 1;
    return text.replaceAll('\0', replacement);
  };
  const addLine = (values: readonly unknown[], into: ByteBuffer): void => {
    const start = into.length;
    const cells = values.map(cellOf);
    const line = cells.join(between);
    // what hardly any row has is looked for in the whole of it, which is cheaper than to look at each cell
    into.addText(`${quote}${line.includes('\0') ? cells.map(withoutNul).join(between) : line}${quote}\n`);
    // and half a surrogate pair becomes U+FFFD on its way to bytes
    if (into.content.includes(replacementBytes, start)) replaced += values.map(csvCell).filter(isTorn).length;
  };
  const tableOf = (row: unknown): Table => {
    if (table !== undefined) return table;
    const columns = tableColumns(options, row);
    const headers = columns.map((column) => column.header);
    if (options.extra) headers.push('_extra');
    return (table = { headers, reader: new RowReader(columns, (path, value) => unlisted.add(path, value)) });
  };
  const bom = options.bom ? '\uFEFF' : '';

  const begin = (row: unknown, into: ByteBuffer): void => {
    into.addText(bom);
    addLine(tableOf(row).headers, into);
  };

  return {
    begin,
    beginEmpty(into) {
      if (options.columns !== undefined) begin({}, into);
    },
    goOn(row, head) {
      const line = new ByteBuffer(1024);
      addLine(tableOf(row).headers, line);
      const header = line.content.toString('utf8');
      const there = head.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
      if (sameHeader(there, header, options)) return;
      throw new SinkError(
        `the file's first line isn't the heading of these rows: ${JSON.stringify(there.slice(0, 200).split('\n')[0])}` +
          ` instead of ${JSON.stringify(header.trimEnd().slice(0, 200))}; give the file's own columns, or write to another path`,
      );
    },
    encode(row, into) {
      const values = tableOf(row).reader.read(row);
      addLine(options.extra ? [...values, unlisted.takeExtra()] : values, into);
    },
    remarks: () => ({ ...(unlisted.counts && { unlisted: unlisted.counts }), ...(replaced > 0 && { replaced }) }),
  };
}

/** Quoted as we do it, or plain as others do. */
function sameHeader(head: string, header: string, { delimiter = ',', quote = '"' }: TableOptions): boolean {
  if (head.startsWith(header)) return true;
  const plain = header
    .trimEnd()
    .split(delimiter)
    .map((cell) => cell.slice(1, -1))
    .join(delimiter);
  return !plain.includes(quote) && (head === plain || head.startsWith(`${plain}\n`));
}

/** Whether a text holds half a surrogate pair, and no NUL, which was counted. */
function isTorn(text: string): boolean {
  return /\p{Surrogate}/u.test(text) && !text.includes('\0');
}
