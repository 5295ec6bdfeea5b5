import type { SchemaElement } from 'hyparquet-writer';
import type { PartFile } from '../PartFile.ts';
import { requirePackages } from '../requirePackages.ts';
import { daysOf } from '../../../operators/kit/days.ts';
import { microsOf, type ColumnKind } from '../table/TableColumn.ts';
import { valueReader, type TextRepair } from '../table/TextRepair.ts';
import type { RowDestination } from './RowDestination.ts';

const groupRows = 20_000;
const groupBytes = 8 * 1024 * 1024;

/** Throws if the optional package that writes Parquet isn't installed. */
export function requireParquetWriter(path: string): void {
  requirePackages(['hyparquet-writer'], `${path}: Parquet needs one more package`);
}

/**
 * A Parquet file with one table. Row groups have 20,000 rows or about 8 MiB and statistics, and one is in memory at a time. Lists and
 * objects are written as JSON, because a nested type must fit all values: a single value of another type would fail the whole file.
 */
export function parquetDestination(to: PartFile, repair: TextRepair): RowDestination {
  return {
    async open({ columns }) {
      const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
      const read = valueReader(columns, repair);
      const bytes = new ByteWriter();
      const parquet = new ParquetWriter({
        writer: bytes,
        schema: [{ name: 'root', num_children: columns.length }, ...columns.map(({ header, type }) => elementOf(header, type))],
        createdBy: 'trawler',
      });
      let data = columns.map((): unknown[] => []);
      let weight = 0;
      const pass = async (rows: number): Promise<void> => {
        to.buffer.addBytes(bytes.getBytes());
        to.added(rows);
        bytes.index = 0; // the offset keeps growing, the memory is reused
        await to.flush();
      };
      const group = async (): Promise<void> => {
        const rows = data[0]!.length;
        if (rows === 0) return;
        await parquet.write({ columnData: columns.map(({ header }, nth) => ({ name: header, data: data[nth]! })), rowGroupSize: rows });
        data = columns.map(() => []);
        weight = 0;
        await pass(rows);
      };
      return {
        recover: () => Promise.resolve(undefined),
        async load(lines) {
          for (const line of lines) {
            for (const [nth, one] of read(line).entries()) {
              const value = parquetValue(one, columns[nth]!.type);
              data[nth]!.push(value);
              weight += typeof value === 'string' ? value.length : 8;
            }
            if (data[0]!.length >= groupRows || weight >= groupBytes) await group();
          }
          return { rejected: [] };
        },
        commit: () => Promise.resolve(), // the last rows stay in memory until their group is full
        async finish() {
          await group();
          await parquet.finish();
          await pass(0);
        },
        close: () => Promise.resolve(),
      };
    },
  };
}

function elementOf(name: string, kind: ColumnKind): SchemaElement {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  switch (kind) {
    case 'boolean':
      return { ...optional, type: 'BOOLEAN' };
    case 'integer':
      return { ...optional, type: 'INT64' };
    case 'number':
      return { ...optional, type: 'DOUBLE' };
    case 'timestamp':
      return {
        ...optional,
        type: 'INT64',
        converted_type: 'TIMESTAMP_MICROS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
      };
    case 'date':
      return { ...optional, type: 'INT32', converted_type: 'DATE' };
    case 'json':
      return { ...optional, type: 'BYTE_ARRAY', converted_type: 'JSON' };
    default:
      return { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  }
}

/** A value in the form that hyparquet-writer takes. */
function parquetValue(value: unknown, kind: ColumnKind): unknown {
  if (value === undefined || value === null) return undefined;
  if (kind === 'integer') return BigInt(value as number);
  if (kind === 'timestamp') return microsOf(value as string);
  if (kind === 'date') return daysOf(value as string);
  // the writer copies objects key by key and would lose a key `__proto__`; objects without a prototype keep it
  return typeof value === 'object' ? { __proto__: null, toJSON: () => value } : value;
}
