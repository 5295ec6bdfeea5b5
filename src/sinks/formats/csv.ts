import { csvEncoder } from '../csvEncoder.ts';
import type { TextFormat, Database, LoadedColumn, LoadedFile } from './FileFormat.ts';
import { isMoment } from '../table/TableColumn.ts';
import { formulaPattern, harmlessPattern } from '../table/csvCells.ts';
import { duckdbTypes } from '../destination/duckdbDestination.ts';
import { sqliteTypes } from '../destination/sqliteDestination.ts';
import { createTable, lines, postgresTypes, shellName, source, sqlString, transaction, duckdbWhole } from '../load/sqlText.ts';

/** SQL that loads a CSV file. */
const csvLoaders: { readonly [database in Database]: (file: LoadedFile) => string } = {
  postgres(file) {
    const { table, columns } = file;
    const options = [
      'format csv',
      'header true',
      ...(file.delimiter === ',' ? [] : [`delimiter ${file.delimiter === '\t' ? `e'\\t'` : sqlString(file.delimiter)}`]),
      ...(file.quote === '"' ? [] : [`quote ${sqlString(file.quote)}`]),
      ...(file.null === '' ? [] : [`null ${sqlString(file.null)}`]),
    ];
    const texts = columns.filter(({ type }) => type === 'string');
    const moments = columns.filter(({ type }) => isMoment(type)).map(({ name }) => name);
    if (moments.length > 0) options.push(`force_null (${moments.join(', ')})`);
    const undo =
      file.escaped && texts.length > 0
        ? [
            'CREATE OR REPLACE FUNCTION pg_temp.plain(cell text) RETURNS text LANGUAGE sql IMMUTABLE AS $$',
            `  SELECT CASE WHEN cell ~ ${sqlString(`^'${formulaPattern}`)} AND substr(cell, 2) !~ ${sqlString(harmlessPattern)} THEN ` +
              `substr(cell, 2) ELSE cell END`,
            '$$;',
            `UPDATE ${table} SET ${texts.map(({ name }) => `${name} = pg_temp.plain(${name})`).join(', ')}`,
            `  WHERE '''' IN (${texts.map(({ name }) => `left(${name}, 1)`).join(', ')});`,
          ]
        : [];
    return transaction(
      'postgres',
      createTable(file, postgresTypes),
      `\\copy ${table} from ${source(file, 'program ')} with (${options.join(', ')})`,
      ...(undo.length > 0 ? ['-- Takes back the apostrophes that keep spreadsheets from calculating.', ...undo] : []),
    );
  },
  duckdb(file) {
    const { table, columns } = file;
    const undo = file.escaped && columns.some(({ type }) => type === 'string');
    const options = [
      'auto_detect = false',
      'header = true',
      `delim = ${sqlString(file.delimiter)}`,
      `quote = ${sqlString(file.quote)}`,
      `escape = ${sqlString(file.quote)}`,
      `nullstr = ${sqlString(file.null)}`,
      'allow_quoted_nulls = false',
      'max_line_size = 33554432',
      `columns = {${columns.map(({ name, type }) => `${name}: '${csvType(type)}'`).join(', ')}}`,
    ];
    const macro =
      `CREATE OR REPLACE TEMP MACRO plain(cell) AS CASE WHEN regexp_matches(cell, ${sqlString(`^'${formulaPattern}`)}) AND ` +
      `NOT regexp_matches(cell[2:], ${sqlString(harmlessPattern)}) THEN cell[2:] ELSE cell END;`;
    const chosen = (column: LoadedColumn): string => {
      const { name, type } = column;
      if (type === 'json') return `whole(${name})::JSON AS ${name}`;
      if (isMoment(column.type)) return `CAST(nullif(${name}, '') AS ${duckdbTypes[type]}) AS ${name}`;
      return type === 'string' && undo ? `plain(${name}) AS ${name}` : name;
    };
    return lines(
      ...(undo ? ['-- Takes back the apostrophes that keep spreadsheets from calculating.', macro] : []),
      ...(columns.some(({ type }) => type === 'json') ? duckdbWhole : []),
      `CREATE OR REPLACE TABLE ${table} AS SELECT ${columns.map(chosen).join(', ')}`,
      `  FROM read_csv(${sqlString(file.path)}, ${options.join(', ')});`,
    );
  },
  sqlite(file) {
    const { table, columns } = file;
    const staging = `${table.slice(0, -1)}_cells"`;
    const value = (column: LoadedColumn): string => {
      const { name, type } = column;
      const cell = `nullif(${name}, ${sqlString(file.null)})`;
      if (isMoment(column.type)) return file.null === '' ? cell : `nullif(${cell}, '')`;
      if (type === 'boolean') return `CASE ${name} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`;
      if (type === 'integer' || type === 'number') return `CAST(${cell} AS ${sqliteTypes[type]})`;
      if (type !== 'string' || !file.escaped) return cell;
      return (
        `iif(${name} REGEXP ${sqlString(`^'${formulaPattern}`)} AND NOT substr(${name}, 2) REGEXP ${sqlString(harmlessPattern)}, ` +
        `substr(${name}, 2), ${cell})`
      );
    };
    return transaction(
      'sqlite',
      "-- For the sqlite3 shell. Its .import can't tell null from empty text: both are null, unless the file was written",
      "-- with the option null, such as null: '\\N'. The JSONL file has that difference.",
      createTable(file, sqliteTypes),
      `CREATE TEMP TABLE ${staging} (${columns.map(({ name }) => `${name} TEXT`).join(', ')});`,
      '.mode csv',
      ...(file.delimiter === ',' ? [] : [`.separator ${JSON.stringify(file.delimiter)} "\\n"`]),
      `.import --skip 1 --schema temp ${source(file, '|')} ${shellName(staging)}`,
      `INSERT INTO ${table} SELECT ${columns.map(value).join(', ')} FROM temp.${staging};`,
      `DROP TABLE temp.${staging};`,
    );
  },
};

export const csv: TextFormat = {
  endings: ['.csv'],
  mediaType: 'text/csv',
  text: true,
  tables: false,
  delimiter: ',',
  encoder: csvEncoder,
  load: csvLoaders,
};

export const tsv: TextFormat = {
  ...csv,
  endings: ['.tsv'],
  mediaType: 'text/tab-separated-values',
  delimiter: '\t',
  encoder: (options) => csvEncoder({ ...options, delimiter: options.delimiter ?? '\t' }),
};

/** The type that DuckDB reads a column as. JSON and times are read as text and cast, because DuckDB accepts too many spellings of them. */
function csvType(type: LoadedColumn['type']): string {
  return type === 'json' || isMoment(type) ? 'VARCHAR' : duckdbTypes[type];
}
