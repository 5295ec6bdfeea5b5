import { LazyRow, wholeRow } from '../../../operators/LazyRow.ts';
import type { ByteBuffer } from '../../files/ByteBuffer.ts';
import type { TableOptions } from '../TableOptions.ts';
import type { CsvCells } from './csvCells.ts';
import { LineCopier } from './LineCopier.ts';
import { RowReader } from './RowReader.ts';
import type { TableColumn } from './TableColumn.ts';
import { Unlisted } from './Unlisted.ts';

const replacement = Buffer.from('\uFFFD');

/** Writes rows as lines of CSV with fixed columns. */
export class CsvTable {
  /** The first line of the file. */
  readonly heading: string;
  readonly #cells: CsvCells;
  readonly #reader: RowReader;
  readonly #json: readonly boolean[];
  readonly #unlisted: Unlisted;
  readonly #extra: boolean;
  /** For lazy rows. undefined: a column is computed from whole rows. */
  readonly #copier: LineCopier | undefined;

  constructor(columns: readonly TableColumn[], options: TableOptions, cells: CsvCells) {
    const { extra = false } = options;
    const unlisted = new Unlisted(options);
    const reader = new RowReader(columns, (path, value) => unlisted.add(path, value));
    const json = columns.map(({ type }) => type === 'json');
    const headers = columns.map(({ header }) => header);
    this.heading = cells.line(extra ? [...headers, '_extra'] : headers, []);
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
