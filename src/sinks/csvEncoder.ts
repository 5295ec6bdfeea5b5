import { LazyRow, wholeRow } from '../../operators/LazyRow.ts';
import { SinkError } from '../errors/index.ts';
import type { RowEncoder } from './RowEncoder.ts';
import { ColumnFinder } from './table/ColumnFinder.ts';
import { csvCell, withoutFormula } from './table/csvCell.ts';
import { readHeading } from './table/readHeading.ts';
import { RowReader } from './table/RowReader.ts';
import { LineCopier } from './table/LineCopier.ts';
import { knownColumns, type TableColumn } from './table/TableColumn.ts';
import { Unlisted } from './table/Unlisted.ts';
import type { TableOptions } from './OutputOptions.ts';

const replacement = '\uFFFD';
const replacementBytes = Buffer.from(replacement);

interface Table {
  readonly headers: readonly string[];
  readonly reader: RowReader;
  /** Columns where text is written as JSON too. */
  readonly json: readonly boolean[];
  readonly extra: boolean;
  /** For lazy rows. undefined: a column is computed from whole rows. */
  readonly copier: LineCopier | undefined;
}

/** Columns found in rows, shared by several files that must have the same ones. */
export interface FoundColumns {
  columns?: readonly TableColumn[];
}

/**
 * Rows as CSV (RFC 4180): null and absent are empty, empty text is `""`, and text is quoted only if it must be. Without
 * given columns, they are found in the first rows. NUL and half a surrogate pair, which CSV can't
 * carry, become U+FFFD. With `shared`, the next files use the columns that the first one found.
 */
export function csvEncoder(options: TableOptions, shared?: FoundColumns): RowEncoder {
  const { delimiter = ',', quote = '"', eol = '\n', null: nothing = '', formulas = 'escape' } = options;
  const special = new RegExp(`[${quote}\\r\\n\\0\\u{${delimiter.codePointAt(0)!.toString(16)}}]`, 'u');
  const finder = new ColumnFinder();
  let unlisted = new Unlisted(options);
  let replaced = 0;
  let table: Table | undefined;

  const cellOf = (value: unknown, json: boolean): string => {
    if (value === undefined || value === null) return nothing;
    if (typeof value === 'number') return Number.isFinite(value) ? String(value) : nothing; // as in JSON
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    const plain = plainOf(value, json);
    if (plain === '') return typeof value === 'string' ? quote + quote : nothing;
    const text = formulas === 'keep' || json ? plain : withoutFormula(plain);
    return special.test(text) || hasOuterBlank(text) || text === nothing || text === '\\.' ? quoted(text) : text;
  };
  const quoted = (text: string): string => {
    let whole = text;
    if (text.includes('\0')) {
      replaced += 1;
      whole = text.replaceAll('\0', replacement);
    }
    return quote + (whole.includes(quote) ? whole.replaceAll(quote, quote + quote) : whole) + quote;
  };
  const lineOf = (values: readonly unknown[], json: readonly boolean[]): string => {
    let line = cellOf(values[0], json[0] === true);
    for (let index = 1; index < values.length; index++) line += delimiter + cellOf(values[index], json[index] === true);
    return line + eol;
  };
  const open = (columns: readonly TableColumn[], extra: boolean): Table => {
    unlisted = new Unlisted({ ...options, extra });
    const headers = columns.map((column) => column.header);
    const reader = new RowReader(columns, (path, value) => unlisted.add(path, value));
    const json = columns.map(({ type }) => type === 'json');
    const cellsOf = (row: object): readonly string[] => {
      const values = reader.read(row);
      replaced += tornIn(values, json);
      return values.map((value, column) => cellOf(value, json[column]!));
    };
    const takeExtra = extra ? (): unknown => unlisted.takeExtra() : undefined;
    const copies = columns.every(({ value }) => value === undefined);
    const copier = copies ? new LineCopier({ reader, json, delimiter, quote, eol, nothing, cellOf, cellsOf, takeExtra }) : undefined;
    return { headers: extra ? [...headers, '_extra'] : headers, reader, json, extra, copier };
  };

  return {
    wait(given) {
      const row = wholeRow(given);
      if (shared?.columns !== undefined || knownColumns(options, row) !== undefined) return false;
      finder.see(row);
      return !finder.full;
    },
    begin(rows, into, ended) {
      let columns = knownColumns(options, wholeRow(rows[0]));
      let extra = options.extra ?? false;
      if (columns === undefined && (rows.length > 0 || shared?.columns !== undefined)) {
        const found = finder.columns();
        extra ||= !ended || !found.complete || shared !== undefined;
        columns = shared?.columns ?? (extra ? found.columns.filter(({ header }) => header !== '_extra') : found.columns);
        if (shared !== undefined) shared.columns = columns;
      }
      if (columns === undefined) return;
      table = open(columns, extra);
      into.addText((options.bom ? '\uFEFF' : '') + lineOf(table.headers, []));
    },
    goOn(given, head) {
      const row = wholeRow(given);
      const there = readHeading(head, delimiter, quote);
      const columns = knownColumns(options, row);
      if (columns === undefined) {
        table = open(columnsOfFile(there, row), there.includes('_extra'));
        return;
      }
      table = open(columns, options.extra ?? false);
      const own = readHeading(lineOf(table.headers, []), delimiter, quote);
      if (own.length === there.length && own.every((header, index) => header === there[index])) return;
      throw new SinkError(
        `the file's first line isn't the heading of these rows: ${JSON.stringify(there).slice(0, 200)}` +
          ` instead of ${JSON.stringify(own).slice(0, 200)}; give the file's own columns, or write to another path`,
      );
    },
    encode(row, into) {
      const { reader, json, extra, copier } = table!;
      if (row instanceof LazyRow && copier?.write(row, into) === true) return;
      const values = reader.read(wholeRow(row));
      const start = into.length;
      into.addText(lineOf(extra ? [...values, unlisted.takeExtra()] : values, json));
      // half a surrogate pair becomes U+FFFD on its way to bytes
      if (into.includes(replacementBytes, start)) replaced += tornIn(values, json);
    },
    remarks: () => ({ ...(unlisted.counts && { unlisted: unlisted.counts }), ...(replaced > 0 && { replaced }) }),
  };
}

/** The columns that a file already has, for rows whose columns aren't known. */
function columnsOfFile(headers: readonly string[], row: unknown): readonly TableColumn[] {
  const finder = new ColumnFinder();
  finder.see(row);
  const found = new Map(finder.columns().columns.map((column) => [column.header, column]));
  const columns = headers.filter((header) => header !== '_extra');
  const lost = headers.includes('_extra') ? undefined : [...found.keys()].find((header) => !columns.includes(header));
  if (lost !== undefined) throw new SinkError(`the file has no column for '${lost}'; give the columns, or write to another path`);
  return columns.map((header) => found.get(header) ?? { header, keys: header.split('.'), value: undefined, type: undefined });
}

function hasOuterBlank(text: string): boolean {
  return isBlank(text.charCodeAt(0)) || isBlank(text.charCodeAt(text.length - 1));
}

function isBlank(code: number): boolean {
  return code <= 0x20 || (code >= 0xa0 && /\s/.test(String.fromCharCode(code)));
}

/** The text of a cell, before it is quoted. */
function plainOf(value: unknown, json: boolean): string {
  return json && typeof value === 'string' ? JSON.stringify(value) : csvCell(value);
}

/** How many values hold half a surrogate pair and no NUL. A text with NUL was counted already. */
function tornIn(values: readonly unknown[], json: readonly boolean[]): number {
  const texts = values.map((value, column) => plainOf(value, json[column]!));
  return texts.filter((text) => /\p{Surrogate}/u.test(text) && !text.includes('\0')).length;
}
