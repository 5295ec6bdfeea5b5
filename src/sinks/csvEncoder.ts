import { wholeRow, LazyRow } from '../../operators/LazyRow.ts';
import { SinkError } from '../errors/index.ts';
import type { RowEncoder } from './OutputFile.ts';
import { ColumnFinder } from './table/ColumnFinder.ts';
import { csvCells, type CsvCells, readHeading } from './table/csvCells.ts';
import { knownColumns, type TableColumn } from './table/TableColumn.ts';
import type { TableOptions } from './TableOptions.ts';
import type { ByteBuffer } from '../files/ByteBuffer.ts';
import { LineCopier } from './table/LineCopier.ts';
import { RowReader, Unlisted } from './table/RowReader.ts';

/**
 * Rows as CSV (RFC 4180): null and absent are empty, empty text is `""`, and text is quoted only if it must be. Without
 * given columns, they are found in the first rows. NUL and half a surrogate pair, which CSV can't
 * carry, become U+FFFD.
 */
export function csvEncoder(options: TableOptions): RowEncoder {
  const cells = csvCells(options);
  const finder = new ColumnFinder();
  let table: CsvTable | undefined;
  const open = (columns: readonly TableColumn[], extra = options.extra): CsvTable =>
    (table = new CsvTable(columns, { ...options, extra }, cells));

  /** Opens the table with the columns that were found in the first rows, because none are documented. */
  const openFound = (ended: boolean): CsvTable => {
    const found = finder.columns();
    const extra = options.extra === true || !ended || !found.complete;
    const columns = extra ? found.columns.filter(({ header }) => header !== '_extra') : found.columns;
    return open(columns, extra);
  };

  return {
    wait(given) {
      const row = wholeRow(given);
      if (knownColumns(options, row) !== undefined) return false;
      finder.see(row);
      return !finder.full;
    },
    begin(rows, into, ended) {
      const columns = knownColumns(options, wholeRow(rows[0]));
      if (columns === undefined && rows.length === 0) return;
      const { heading } = columns === undefined ? openFound(ended) : open(columns);
      into.addText((options.bom ? '\uFEFF' : '') + heading);
    },
    resumeFrom(given, head) {
      const row = wholeRow(given);
      const there = readHeading(head, cells.delimiter, cells.quote);
      const columns = knownColumns(options, row);
      if (columns === undefined) {
        open(columnsOfFile(there, row), there.includes('_extra'));
        return;
      }
      const own = readHeading(open(columns).heading, cells.delimiter, cells.quote);
      if (own.length === there.length && own.every((header, index) => header === there[index])) return;
      throw new SinkError(
        `the file's first line isn't the heading of these rows: ${JSON.stringify(there).slice(0, 200)}` +
          ` instead of ${JSON.stringify(own).slice(0, 200)}; give the file's own columns, or write to another path`,
      );
    },
    encode: (row, into) => table!.write(row, into),
    remarks: () => ({ ...(table?.unlisted && { unlisted: table.unlisted }), ...(cells.replaced() > 0 && { replaced: cells.replaced() }) }),
  };
}

/** The columns of a file that is resumed, for rows without documented columns. */
function columnsOfFile(headers: readonly string[], row: unknown): readonly TableColumn[] {
  const finder = new ColumnFinder();
  finder.see(row);
  const found = new Map(finder.columns().columns.map((column) => [column.header, column]));
  const columns = headers.filter((header) => header !== '_extra');
  const lost = headers.includes('_extra') ? undefined : [...found.keys()].find((header) => !columns.includes(header));
  if (lost !== undefined) throw new SinkError(`the file has no column for '${lost}'; give the columns, or write to another path`);
  return columns.map((header) => found.get(header) ?? { header, keys: header.split('.'), type: undefined });
}

const replacement = Buffer.from('\uFFFD');

/** Writes rows as lines of CSV with fixed columns. */
class CsvTable {
  /** The first line of the file. */
  readonly heading: string;
  readonly #cells: CsvCells;
  readonly #reader: RowReader;
  readonly #json: readonly boolean[];
  readonly #unlisted: Unlisted;
  readonly #extra: boolean;
  /** Writes lazy rows. undefined: a column is computed, so every row must be parsed. */
  readonly #copier: LineCopier | undefined;

  constructor(columns: readonly TableColumn[], options: TableOptions, cells: CsvCells) {
    const { extra = false } = options;
    const unlisted = new Unlisted(options);
    const reader = new RowReader(columns, (path, value) => unlisted.add(path, value));
    const json = columns.map(({ type }) => type === 'json');
    const headers = columns.map(({ header }) => header);
    this.heading = cells.heading(extra ? [...headers, '_extra'] : headers);
    this.#cells = cells;
    this.#reader = reader;
    this.#json = json;
    this.#unlisted = unlisted;
    this.#extra = extra;
    if (columns.some(({ value }) => value !== undefined)) return;
    const cellsOf = (row: object): readonly string[] => {
      const values = reader.read(row);
      cells.countTorn(values, json);
      return values.map((value, column) => cells.cell(value, json[column]!));
    };
    const takeExtra = extra ? (): unknown => unlisted.takeExtra() : undefined;
    this.#copier = new LineCopier(cells, { reader, json, cellsOf, takeExtra });
  }

  /** How often each field without a column was seen. undefined: never. */
  get unlisted(): Unlisted['counts'] {
    return this.#unlisted.counts;
  }

  write(row: unknown, into: ByteBuffer): void {
    if (row instanceof LazyRow && this.#copier?.write(row, into) === true) return;
    const values = this.#reader.read(wholeRow(row));
    const start = into.length;
    into.addText(this.#cells.line(this.#extra ? [...values, this.#unlisted.takeExtra()] : values, this.#json));
    if (into.includes(replacement, start)) this.#cells.countTorn(values, this.#json);
  }
}
