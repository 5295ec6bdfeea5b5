import type { SchemaElement } from 'hyparquet-writer';
import type { FileReport } from './FileReport.ts';
import type { OpenFile } from './FileSystem.ts';
import { loadParquetWriter } from './loadParquetWriter.ts';
import type { PartFile } from './PartFile.ts';
import { readLines } from './readLines.ts';
import { ParquetType, parquetValue } from './table/ParquetType.ts';
import { RowReader } from './table/RowReader.ts';
import type { TableColumn } from './table/TableColumn.ts';
import { Unlisted } from './table/Unlisted.ts';
import type { TableOptions } from './TableOptions.ts';

const groupRows = 20_000;
const groupBytes = 8 * 1024 * 1024;

/**
 * Turns the first `size` bytes of a JSONL file into Parquet. The rows are read twice: for the types of the columns, and
 * for their values; what is in memory at a time is one row group.
 */
export async function writeParquet(
  from: OpenFile,
  size: number,
  to: PartFile,
  columns: readonly TableColumn[],
  options: TableOptions,
): Promise<Pick<FileReport, 'unlisted'>> {
  const { ByteWriter, ParquetWriter } = await loadParquetWriter();
  const unlisted = new Unlisted({ ...options, extra: false });
  const all = options.extra ? [...columns, { header: '_extra', keys: [], value: undefined, type: 'string' } as const] : columns;
  const types = await settleTypes(from, size, columns, all, options.extra ? () => undefined : (path) => unlisted.add(path, undefined));

  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: all.length }, ...all.map((column, index) => elementOf(column.header, types[index]!.kind))],
    createdBy: 'trawler',
  });
  const kinds = types.map((type) => type.kind);
  const extra = new Unlisted({ extra: true });
  const reader = new RowReader(columns, options.extra ? (path, value) => extra.add(path, value) : () => undefined);
  let data = all.map((): unknown[] => []);
  let waiting = 0;
  const pass = async (rows: number): Promise<void> => {
    to.add(rows, (into) => into.addBytes(bytes.getBytes()));
    bytes.index = 0; // its offset goes on, its memory is used again
    await to.flush();
  };
  const group = async (): Promise<void> => {
    const rows = data[0]!.length;
    if (rows === 0) return;
    await parquet.write({ columnData: all.map(({ header }, index) => ({ name: header, data: data[index]! })), rowGroupSize: rows });
    data = all.map(() => []);
    waiting = 0;
    await pass(rows);
  };

  for await (const lines of readLines(from, size)) {
    for (const line of lines) {
      const values = reader.read(JSON.parse(line));
      for (const [index, value] of values.entries()) data[index]!.push(parquetValue(value, kinds[index]!));
      if (options.extra) data[values.length]!.push(extra.takeExtra());
      waiting += line.length;
      if (data[0]!.length >= groupRows || waiting >= groupBytes) await group();
    }
  }
  await group();
  await parquet.finish();
  await pass(0);
  return unlisted.counts === undefined ? {} : { unlisted: unlisted.counts };
}

async function settleTypes(
  from: OpenFile,
  size: number,
  columns: readonly TableColumn[],
  all: readonly TableColumn[],
  onUnlisted: (path: string) => void,
): Promise<readonly ParquetType[]> {
  const types = all.map((column) => new ParquetType(column));
  const reader = new RowReader(columns, onUnlisted);
  for await (const lines of readLines(from, size)) {
    for (const line of lines) for (const [index, value] of reader.read(JSON.parse(line)).entries()) types[index]!.see(value);
  }
  return types;
}

function elementOf(name: string, kind: ParquetType['kind']): SchemaElement {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  switch (kind) {
    case 'boolean':
      return { ...optional, type: 'BOOLEAN' };
    case 'integer':
      return { ...optional, type: 'INT64' };
    case 'number':
      return { ...optional, type: 'DOUBLE' };
    default:
      return { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  }
}
