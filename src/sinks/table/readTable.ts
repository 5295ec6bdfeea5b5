import type { OpenFile } from '../../files/FileSystem.ts';
import type { FileReport } from '../FileReport.ts';
import { readBlocks } from '../../files/blocks.ts';
import type { TableOptions } from '../TableOptions.ts';
import { ColumnFinder } from './ColumnFinder.ts';
import { ColumnType, isMoment, type ColumnKind } from './ColumnType.ts';
import { csvCell } from './csvCell.ts';
import { jsonText } from './jsonText.ts';
import { RowReader } from './RowReader.ts';
import type { TableColumn } from './TableColumn.ts';
import { Unlisted } from './Unlisted.ts';

/** Rows as a table with typed columns. */
export interface Table {
  readonly columns: readonly { readonly header: string; readonly kind: ColumnKind }[];
  /** The values of the rows in column order, about a megabyte at a time; those of text columns are text. Can be read once. */
  readonly batches: () => AsyncGenerator<readonly (readonly unknown[])[], void, undefined>;
  /** What the report says, once the batches are read. */
  readonly remarks: () => Pick<FileReport, 'unlisted' | 'replaced'>;
}

/** A table of a database. */
export interface NamedTable extends Table {
  readonly name: string;
  /** Columns to index. */
  readonly index: readonly string[];
}

interface ReadTableOptions extends TableOptions {
  /** Finds what text in this format can't hold. It becomes U+FFFD. */
  readonly lost: RegExp;
  /** Whether JSON can't hold half a surrogate pair either. */
  readonly strictJson?: boolean | undefined;
}

/** `JSON.stringify` escapes nothing else beyond ASCII. */
const escapedHalfPair = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/**
 * Reads the first `size` bytes of a JSONL file as a table: once for the types of its columns (and once before that if
 * the columns aren't given), then once for the values. Memory holds one batch at a time.
 */
export async function readTable(
  from: OpenFile,
  size: number,
  known: readonly TableColumn[] | undefined,
  { lost, strictJson = false, ...options }: ReadTableOptions,
): Promise<Table> {
  let columns = known;
  let extra = options.extra ?? false;
  if (columns === undefined) {
    const finder = new ColumnFinder();
    for await (const lines of readLines(from, size)) for (const line of lines) finder.see(JSON.parse(line));
    const found = finder.columns();
    extra ||= !found.complete || found.columns.length === 0; // no format allows a table without columns
    columns = extra ? found.columns.filter(({ header }) => header !== '_extra') : found.columns;
  }
  const unlisted = new Unlisted({ ...options, extra });
  const reader = new RowReader(columns, (path, value) => unlisted.add(path, value));
  const types = columns.map(({ type }) => new ColumnType(type));
  for await (const lines of readLines(from, size)) {
    for (const line of lines) {
      for (const [index, value] of reader.read(JSON.parse(line)).entries()) types[index]!.see(value);
      if (extra) unlisted.takeExtra();
    }
  }
  const { counts } = unlisted;
  let replaced = 0;
  const textOf = (value: unknown): string => {
    const text = csvCell(value);
    const whole = text.replace(lost, '\uFFFD');
    if (whole !== text) replaced += 1;
    return whole;
  };
  const jsonOf = (value: unknown): unknown => {
    const text = jsonText(value)!;
    const whole = text.replace(escapedHalfPair, '$1\uFFFD');
    if (whole === text) return value;
    replaced += 1;
    return JSON.parse(whole);
  };
  const valueOf = (value: unknown, kind: ColumnKind): unknown => {
    if (value === undefined || value === null) return value;
    if (kind === 'string') return textOf(value);
    if (value === '' && isMoment(kind)) return null;
    return strictJson && kind === 'json' ? jsonOf(value) : value;
  };
  const typed = columns.map(({ header }, index) => ({ header, kind: types[index]!.kind }));
  return {
    columns: extra ? [...typed, { header: '_extra', kind: 'json' }] : typed,
    remarks: () => ({ ...(counts && { unlisted: counts }), ...(replaced > 0 && { replaced }) }),
    async *batches() {
      const second = new Unlisted({ extra: true });
      const again = new RowReader(columns, extra ? (path, value) => second.add(path, value) : () => undefined);
      for await (const lines of readLines(from, size)) {
        yield lines.map((line): readonly unknown[] => {
          const read = again.read(JSON.parse(line));
          const values = read.map((value, index) => valueOf(value, typed[index]!.kind));
          return extra ? [...values, valueOf(second.takeExtra(), 'json')] : values;
        });
      }
    },
  };
}

/** The lines of the first `size` bytes of a file, in batches of about a megabyte. */
async function* readLines(file: OpenFile, size: number): AsyncGenerator<readonly string[]> {
  let rest: Uint8Array[] = [];
  for await (const block of readBlocks(file, size)) {
    const end = block.lastIndexOf(0x0a) + 1; // never inside a character
    if (end > 0) {
      yield Buffer.concat([...rest, block.subarray(0, end - 1)])
        .toString('utf8')
        .split('\n');
      rest = [];
    }
    rest.push(block.subarray(end));
  }
}
