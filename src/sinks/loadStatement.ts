import { fileKindOf } from './endings.ts';
import { formulaPattern, plainNumberPattern } from './table/csvCell.ts';
import { isMoment, type ColumnKind } from './table/ColumnType.ts';
import { sqlName, uniqueNames } from './table/sqlNames.ts';
import type { TableOptions } from './OutputOptions.ts';
import { duckdbTypes } from './writeDuckdb.ts';
import { sqliteTypes } from './writeSqlite.ts';

export type Database = 'duckdb' | 'postgres' | 'sqlite';

/** A file that trawler wrote, and what is known about its columns. */
export interface FileToLoad {
  readonly path: string;
  readonly table: string;
  readonly columns: readonly { readonly header: string; readonly keys: readonly string[]; readonly type: ColumnKind }[];
  /** How a CSV file was written, if not with the defaults. */
  readonly csv?: Pick<TableOptions, 'delimiter' | 'quote' | 'null' | 'formulas'> | undefined;
}

interface Loaded {
  readonly path: string;
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly keys: readonly string[]; readonly type: ColumnKind }[];
  readonly delimiter: string;
  readonly quote: string;
  readonly null: string;
  /** Text that a spreadsheet would calculate starts with an apostrophe. */
  readonly escaped: boolean;
  readonly compression: 'gzip' | 'zstd' | undefined;
}

/**
 * Returns the SQL that loads a file into a table with the right types. Every value, null and empty text is restored. Only a
 * date or time that is an empty text becomes null.
 * It works for psql, DuckDB and the sqlite3 shell. Relative paths start from the folder where that program runs.
 */
export function loadStatement(database: Database, file: FileToLoad): string {
  const kind = fileKindOf(file.path);
  if (kind === undefined) throw new RangeError(`loadStatement: the ending of ${file.path} names no format`);
  const names = uniqueNames(file.columns.map(({ header }) => header));
  const loaded: Loaded = {
    path: file.path,
    table: sqlName(file.table),
    columns: file.columns.map(({ keys, type }, index) => ({ name: sqlName(names[index]!), keys, type })),
    delimiter: file.csv?.delimiter ?? (kind.format === 'tsv' ? '\t' : ','),
    quote: file.csv?.quote ?? '"',
    null: file.csv?.null ?? '',
    escaped: file.csv?.formulas !== 'keep',
    compression: kind.compression,
  };
  if (kind.format === 'csv' || kind.format === 'tsv') return csvLoaders[database](loaded);
  if (kind.format === 'jsonl') return jsonlLoaders[database](loaded);
  if (database === 'duckdb' && kind.format === 'parquet') return `CREATE TABLE ${loaded.table} AS FROM ${text(file.path)};\n`;
  if (database === kind.format || (database === 'duckdb' && kind.format === 'sqlite'))
    return database === 'duckdb'
      ? `ATTACH ${text(file.path)} AS trawled${kind.format === 'sqlite' ? ' (TYPE sqlite)' : ''};\nCREATE TABLE ${loaded.table} AS FROM trawled.${loaded.table};\n`
      : `ATTACH ${text(file.path)} AS trawled;\nCREATE TABLE ${loaded.table} AS SELECT * FROM trawled.${loaded.table};\n`;
  return `-- ${database} doesn't read .${kind.format} files by itself; let the flow write .csv or .jsonl too.\n`;
}

const postgresTypes: { readonly [kind in ColumnKind]: string } = {
  string: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  date: 'date',
  json: 'json', // unlike jsonb, it takes any JSON
};

const surrogate = '[dD][89a-fA-F]..';
const nulOrSurrogate = `(0000|${surrogate})`;

/** SQL that puts U+FFFD for the escapes in a line of JSON that fit `lost`; pairs of surrogates stay. For PostgreSQL and DuckDB. */
function withoutHalfPairs(line: string, lost: string): string {
  const pairsApart = `regexp_replace(replace(${line}, '\\\\', chr(1)), '\\\\u([dD][89abAB]..)\\\\u([dD][c-fC-F]..)', chr(2) || '\\1' || chr(2) || '\\2', 'g')`;
  return `replace(replace(regexp_replace(${pairsApart}, '\\\\u${lost}', '\\\\ufffd', 'g'), chr(2), '\\u'), chr(1), '\\\\')`;
}

const duckdbWhole = [
  "-- JSON in DuckDB can't hold half a surrogate pair: it becomes U+FFFD.",
  `CREATE OR REPLACE TEMP MACRO whole(line) AS CASE WHEN regexp_matches(line, ${text(`\\\\u${surrogate}`)}) THEN ${withoutHalfPairs('line', surrogate)} ELSE line END;`,
];

const csvLoaders: { readonly [database in Database]: (file: Loaded) => string } = {
  postgres(file) {
    const { table, columns } = file;
    const options = [
      'format csv',
      'header true',
      ...(file.delimiter === ',' ? [] : [`delimiter ${file.delimiter === '\t' ? `e'\\t'` : text(file.delimiter)}`]),
      ...(file.quote === '"' ? [] : [`quote ${text(file.quote)}`]),
      ...(file.null === '' ? [] : [`null ${text(file.null)}`]),
    ];
    const texts = columns.filter(({ type }) => type === 'string');
    const moments = columns.filter(({ type }) => isMoment(type)).map(({ name }) => name);
    if (moments.length > 0) options.push(`force_null (${moments.join(', ')})`);
    const undo =
      file.escaped && texts.length > 0
        ? [
            'CREATE OR REPLACE FUNCTION pg_temp.plain(cell text) RETURNS text LANGUAGE sql IMMUTABLE AS $$',
            `  SELECT CASE WHEN cell ~ ${text(`^'${formulaPattern}`)} AND substr(cell, 2) !~ ${text(plainNumberPattern)} THEN substr(cell, 2) ELSE cell END`,
            '$$;',
            `UPDATE ${table} SET ${texts.map(({ name }) => `${name} = pg_temp.plain(${name})`).join(', ')}`,
            `  WHERE '''' IN (${texts.map(({ name }) => `left(${name}, 1)`).join(', ')});`,
          ]
        : [];
    return lines(
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
      `delim = ${text(file.delimiter)}`,
      `quote = ${text(file.quote)}`,
      `escape = ${text(file.quote)}`,
      `nullstr = ${text(file.null)}`,
      'allow_quoted_nulls = false',
      'max_line_size = 33554432',
      `columns = {${columns.map((column) => `${column.name}: '${column.type === 'json' || isMoment(column.type) ? 'VARCHAR' : duckdbTypes[column.type]}'`).join(', ')}}`,
    ];
    const macro = `CREATE OR REPLACE TEMP MACRO plain(cell) AS CASE WHEN regexp_matches(cell, ${text(`^'${formulaPattern}`)}) AND NOT regexp_matches(cell[2:], ${text(plainNumberPattern)}) THEN cell[2:] ELSE cell END;`;
    const chosen = (column: Loaded['columns'][number]): string => {
      const { name, type } = column;
      if (type === 'json') return `whole(${name})::JSON AS ${name}`;
      if (isMoment(column.type)) return `CAST(nullif(${name}, '') AS ${duckdbTypes[type]}) AS ${name}`;
      return type === 'string' && undo ? `plain(${name}) AS ${name}` : name;
    };
    return lines(
      ...(undo ? ['-- Takes back the apostrophes that keep spreadsheets from calculating.', macro] : []),
      ...(columns.some(({ type }) => type === 'json') ? duckdbWhole : []),
      `CREATE TABLE ${table} AS SELECT ${columns.map(chosen).join(', ')}`,
      `  FROM read_csv(${text(file.path)}, ${options.join(', ')});`,
    );
  },
  sqlite(file) {
    const { table, columns } = file;
    const staging = `${table.slice(0, -1)}_cells"`;
    const value = (column: Loaded['columns'][number]): string => {
      const { name, type } = column;
      const cell = `nullif(${name}, ${text(file.null)})`;
      if (isMoment(column.type)) return file.null === '' ? cell : `nullif(${cell}, '')`;
      if (type === 'boolean') return `CASE ${name} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`;
      if (type === 'integer' || type === 'number') return `CAST(${cell} AS ${sqliteTypes[type]})`;
      if (type !== 'string' || !file.escaped) return cell;
      return `iif(${name} REGEXP ${text(`^'${formulaPattern}`)} AND NOT substr(${name}, 2) REGEXP ${text(plainNumberPattern)}, substr(${name}, 2), ${cell})`;
    };
    return lines(
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

const jsonlLoaders: { readonly [database in Database]: (file: Loaded) => string } = {
  postgres(file) {
    const { table, columns } = file;
    const staging = `${table.slice(0, -1)}_lines"`;
    const value = ({ keys, type }: Loaded['columns'][number]): string => {
      const path = text(`{${keys.map((key) => `"${key.replace(/["\\]/g, '\\$&')}"`).join(',')}}`);
      if (type === 'json') return `line #> ${path}`;
      if (type === 'string') return `line #>> ${path}`;
      return isMoment(type) ? `nullif(line #>> ${path}, '')::${postgresTypes[type]}` : `(line #>> ${path})::${postgresTypes[type]}`;
    };
    return lines(
      createTable(file, postgresTypes),
      `CREATE TEMP TABLE ${staging} (text text);`,
      `\\copy ${staging} from ${source(file, 'program ')} with (format csv, delimiter e'\\x01', quote e'\\x02')`,
      "-- Text in PostgreSQL can't hold a NUL or half a surrogate pair: they become U+FFFD.",
      `INSERT INTO ${table} SELECT ${columns.map(value).join(', ')}`,
      `  FROM (SELECT (CASE WHEN text ~ ${text(`\\\\u${nulOrSurrogate}`)} THEN ${withoutHalfPairs('text', nulOrSurrogate)} ELSE text END)::json AS line FROM ${staging}) AS lines;`,
      `DROP TABLE ${staging};`,
    );
  },
  duckdb(file) {
    const value = ({ name, keys, type }: Loaded['columns'][number]): string => {
      const path = text(jsonPath(keys));
      const cell = type === 'json' ? `CASE WHEN json_type(json, ${path}) <> 'NULL' THEN json -> ${path} END` : `json ->> ${path}`;
      const whole = isMoment(type) ? `nullif(${cell}, '')` : cell;
      return `${type === 'json' || type === 'string' ? cell : `CAST(${whole} AS ${duckdbTypes[type]})`} AS ${name}`;
    };
    return lines(
      ...duckdbWhole,
      `CREATE TABLE ${file.table} AS SELECT ${file.columns.map(value).join(', ')}`,
      `  FROM (SELECT whole(line)::JSON AS json`,
      `    FROM read_csv(${text(file.path)}, auto_detect = false, header = false, delim = e'\\x01', quote = '', escape = '', max_line_size = 33554432, columns = {line: 'VARCHAR'}));`,
    );
  },
  sqlite(file) {
    const { table, columns } = file;
    const staging = `${table.slice(0, -1)}_lines"`;
    const value = ({ keys, type }: Loaded['columns'][number]): string => {
      const path = text(jsonPath(keys));
      if (type === 'json') return `nullif(line -> ${path}, 'null')`;
      const cell = `json_extract(line, ${path})`;
      if (isMoment(type)) return `nullif(${cell}, '')`;
      return type === 'string' ? `CAST(${cell} AS TEXT)` : cell;
    };
    return lines(
      '-- For the sqlite3 shell.',
      createTable(file, sqliteTypes),
      `CREATE TEMP TABLE ${staging} (line TEXT);`,
      '.mode ascii',
      '.separator "\\001" "\\n"',
      `.import --schema temp ${source(file, '|')} ${shellName(staging)}`,
      "-- Text in SQLite can't hold a NUL or half a surrogate pair: they become U+FFFD.",
      `UPDATE temp.${staging} SET line = (`,
      '  WITH RECURSIVE c(done, rest) AS (',
      `    SELECT '', replace(line, '\\\\', char(1)) UNION ALL`,
      `    SELECT done || substr(rest, 1, instr(rest, '\\u') - 1) || CASE`,
      `        WHEN substr(rest, instr(rest, '\\u'), 12) GLOB '\\u[dD][89abAB]??\\u[dD][c-fC-F]*' THEN substr(rest, instr(rest, '\\u'), 12)`,
      `        WHEN substr(rest, instr(rest, '\\u') + 2, 4) GLOB '[dD][89a-fA-F]*' OR substr(rest, instr(rest, '\\u') + 2, 4) = '0000' THEN '\\ufffd'`,
      `        ELSE substr(rest, instr(rest, '\\u'), 6) END,`,
      `      substr(rest, instr(rest, '\\u') + iif(substr(rest, instr(rest, '\\u'), 12) GLOB '\\u[dD][89abAB]??\\u[dD][c-fC-F]*', 12, 6))`,
      `    FROM c WHERE instr(rest, '\\u') > 0`,
      `  ) SELECT replace(done || rest, char(1), '\\\\') FROM c WHERE instr(rest, '\\u') = 0`,
      `) WHERE line REGEXP ${text(`\\\\u${nulOrSurrogate}`)};`,
      `INSERT INTO ${table} SELECT ${columns.map(value).join(', ')} FROM temp.${staging};`,
      `DROP TABLE temp.${staging};`,
    );
  },
};

function createTable({ table, columns }: Loaded, types: { readonly [kind in ColumnKind]: string }): string {
  return `CREATE TABLE ${table} (\n${columns.map(({ name, type }) => `  ${name} ${types[type]}`).join(',\n')}\n);`;
}

/** The file, or the command that unpacks it, in the form that `\copy` and `.import` take. */
function source({ path, compression }: Loaded, program: string): string {
  if (compression === undefined) return program === '|' ? shellName(path) : text(path);
  const command = `${compression === 'gzip' ? 'gzip' : 'zstd'} -dc '${path.replaceAll("'", `'\\''`)}'`;
  return program === '|' ? JSON.stringify(`|${command}`) : `${program}${text(command)}`;
}

/** An argument of a command of the sqlite3 shell. */
function shellName(name: string): string {
  return JSON.stringify(name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);
}

function jsonPath(keys: readonly string[]): string {
  return `$${keys.map((key) => `."${key.replaceAll('"', '\\"')}"`).join('')}`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
