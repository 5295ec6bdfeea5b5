import { CsvFormatterStream, FormatterOptions } from 'fast-csv';
import { SinkError } from '../errors/index.ts';
import type { ByteBuffer } from './ByteBuffer.ts';
import type { RowEncoder } from './RowEncoder.ts';
import { csvCell, withoutFormula } from './table/csvCell.ts';
import { RowReader } from './table/RowReader.ts';
import { tableColumns, type TableColumn } from './table/TableColumn.ts';
import { Unlisted } from './table/Unlisted.ts';
import type { TableOptions } from './TableOptions.ts';

const replacement = '\uFFFD';
const replacementBytes = Buffer.from(replacement);

/** fast-csv's formatter, driven row by row instead of as a stream. */
class RowFormatter extends CsvFormatterStream<string[], string[]> {
  #bytes: Buffer | undefined;
  #error: Error | null | undefined;

  constructor(delimiter: string, quote: string) {
    super(new FormatterOptions({ delimiter, quote, quoteColumns: true, quoteHeaders: true }));
    this.format(['']); // from the second row on it begins with a line break, which is cut off below
  }

  override push(bytes: unknown): boolean {
    if (Buffer.isBuffer(bytes)) this.#bytes = bytes;
    return true;
  }

  /** The row as bytes, the line break in front; valid until the next call. */
  format(cells: string[]): Buffer {
    this._transform(cells, 'utf8', (error) => {
      this.#error = error;
    });
    if (this.#error) throw this.#error;
    return this.#bytes!;
  }
}

interface Table {
  readonly columns: readonly TableColumn[];
  readonly reader: RowReader;
  readonly header: Uint8Array;
}

/**
 * Rows as CSV: every cell quoted, a line feed behind each row. The columns are settled by the first row; a field that
 * has none is counted, or goes to `_extra`. A NUL and half a surrogate pair, which CSV can't carry, become U+FFFD.
 */
export function csvEncoder(options: TableOptions): RowEncoder {
  const formatter = new RowFormatter(options.delimiter ?? ',', options.quote ?? '"');
  const unlisted = new Unlisted(options);
  const keepFormulas = options.formulas === 'keep';
  let replaced = 0;
  let table: Table | undefined;

  const cellOf = (value: unknown): string => {
    if (typeof value === 'number') return String(value);
    let text = csvCell(value);
    if (text.includes('\0')) {
      replaced += 1;
      text = text.replaceAll('\0', replacement);
    }
    return keepFormulas ? text : withoutFormula(text);
  };
  const line = (values: readonly unknown[]): Uint8Array => {
    const bytes = formatter.format(values.map(cellOf));
    bytes.copyWithin(0, 1);
    bytes[bytes.length - 1] = 0x0a;
    // half a surrogate pair becomes U+FFFD on its way to bytes; to look for that is cheaper than to look at each cell
    if (bytes.includes(replacementBytes)) replaced += values.map(csvCell).filter(isTorn).length;
    return bytes;
  };
  const tableOf = (row: unknown): Table => {
    if (table !== undefined) return table;
    const columns = tableColumns(options, row);
    const headers = columns.map((column) => column.header);
    const header = line(options.extra ? [...headers, '_extra'] : headers);
    return (table = { columns, header, reader: new RowReader(columns, (path, value) => unlisted.add(path, value)) });
  };
  const bom = options.bom ? '\uFEFF' : '';

  const begin = (row: unknown, into: ByteBuffer): void => {
    const { header } = tableOf(row);
    into.addText(bom);
    into.addBytes(header);
  };

  return {
    begin,
    beginEmpty(into) {
      if (options.columns !== undefined) begin({}, into);
    },
    goOn(row, head) {
      const header = Buffer.from(tableOf(row).header).toString('utf8');
      const there = head.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
      if (sameHeader(there, header, options)) return;
      throw new SinkError(
        `the file's first line isn't the heading of these rows: ${JSON.stringify(there.slice(0, 200).split('\n')[0])}` +
          ` instead of ${JSON.stringify(header.trimEnd().slice(0, 200))}; give the file's own columns, or write to another path`,
      );
    },
    encode(row, into) {
      const values = tableOf(row).reader.read(row);
      into.addBytes(line(options.extra ? [...values, unlisted.takeExtra()] : values));
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
