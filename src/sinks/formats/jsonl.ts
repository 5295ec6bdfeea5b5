import { jsonlEncoder } from '../jsonlEncoder.ts';
import type { TextFormat, Database, LoadedColumn, LoadedFile } from './FileFormat.ts';
import { isMoment } from '../table/TableColumn.ts';
import { duckdbTypes } from '../destination/duckdbDestination.ts';
import { sqliteTypes } from '../destination/sqliteDestination.ts';
import {
  createTable,
  jsonPointer,
  lines,
  postgresTypes,
  shellName,
  source,
  sqlString,
  transaction,
  duckdbWhole,
  nulOrSurrogate,
  withoutHalfPairs,
} from '../load/sqlText.ts';

/** A key that JSON never writes with escapes. */
const plainKey = /^[\w .-]+$/;
const jsonOfMember = "CASE WHEN type = 'text' THEN json_quote(value) WHEN type IN ('true', 'false') THEN type ELSE value END";

/** SQL for the value at keys that may contain escapes. Before 3.45, a JSON path of SQLite doesn't find these. */
function sqliteMember(keys: readonly string[], wanted: string): string {
  return keys.reduce((holder, key, depth) => {
    const isLast = depth === keys.length - 1;
    return (
      `(SELECT ${isLast ? wanted : 'value'} FROM json_each(${holder}) WHERE key = ` +
      `${sqlString(key)}${isLast ? '' : " AND type = 'object'"})`
    );
  }, 'line');
}

/** SQL that loads a JSONL file. */
const jsonlLoaders: { readonly [database in Database]: (file: LoadedFile) => string } = {
  postgres(file) {
    const { table, columns } = file;
    const staging = `${table.slice(0, -1)}_lines"`;
    const value = ({ keys, type }: LoadedColumn): string => {
      const path = sqlString(`{${keys.map((key) => `"${key.replace(/["\\]/g, '\\$&')}"`).join(',')}}`);
      if (type === 'json') return `line #> ${path}`;
      if (type === 'string') return `line #>> ${path}`;
      return isMoment(type) ? `nullif(line #>> ${path}, '')::${postgresTypes[type]}` : `(line #>> ${path})::${postgresTypes[type]}`;
    };
    return transaction(
      'postgres',
      createTable(file, postgresTypes),
      `CREATE TEMP TABLE ${staging} (text text);`,
      `\\copy ${staging} from ${source(file, 'program ')} with (format csv, delimiter e'\\x01', quote e'\\x02')`,
      "-- Text in PostgreSQL can't hold a NUL or half a surrogate pair: they become U+FFFD.",
      `INSERT INTO ${table} SELECT ${columns.map(value).join(', ')}`,
      `  FROM (SELECT (CASE WHEN text ~ ${sqlString(`\\\\u${nulOrSurrogate}`)} THEN ${withoutHalfPairs('text', nulOrSurrogate)} ELSE ` +
        `text END)::json AS line FROM ${staging}) AS lines;`,
      `DROP TABLE ${staging};`,
    );
  },
  duckdb(file) {
    const value = ({ name, keys, type }: LoadedColumn): string => {
      const path = sqlString(jsonPointer(keys));
      const cell = type === 'json' ? `CASE WHEN json_type(json, ${path}) <> 'NULL' THEN json -> ${path} END` : `json ->> ${path}`;
      const whole = isMoment(type) ? `nullif(${cell}, '')` : cell;
      return `${type === 'json' || type === 'string' ? cell : `CAST(${whole} AS ${duckdbTypes[type]})`} AS ${name}`;
    };
    return lines(
      ...duckdbWhole,
      `CREATE OR REPLACE TABLE ${file.table} AS SELECT ${file.columns.map(value).join(', ')}`,
      `  FROM (SELECT whole(line)::JSON AS json`,
      `    FROM read_csv(${sqlString(file.path)}, auto_detect = false, header = false, delim = e'\\x01', quote = '', escape = '', ` +
        `max_line_size = 33554432, columns = {line: 'VARCHAR'}));`,
    );
  },
  sqlite(file) {
    const { table, columns } = file;
    const staging = `${table.slice(0, -1)}_lines"`;
    const value = ({ keys, type }: LoadedColumn): string => {
      const path = `'$${keys.map((key) => `."${key}"`).join('')}'`;
      const isPlain = keys.every((key) => plainKey.test(key));
      if (type === 'json') return isPlain ? `nullif(line -> ${path}, 'null')` : sqliteMember(keys, jsonOfMember);
      const cell = isPlain ? `json_extract(line, ${path})` : sqliteMember(keys, 'value');
      if (isMoment(type)) return `nullif(${cell}, '')`;
      return type === 'string' ? `CAST(${cell} AS TEXT)` : cell;
    };
    return transaction(
      'sqlite',
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
      `        WHEN substr(rest, instr(rest, '\\u'), 12) GLOB '\\u[dD][89abAB]??\\u[dD][c-fC-F]*' THEN substr(rest, ` +
        `instr(rest, '\\u'), 12)`,
      `        WHEN substr(rest, instr(rest, '\\u') + 2, 4) GLOB '[dD][89a-fA-F]*' OR substr(rest, instr(rest, '\\u') + 2, 4) = '0000' ` +
        `THEN '\\ufffd'`,
      `        ELSE substr(rest, instr(rest, '\\u'), 6) END,`,
      `      substr(rest, instr(rest, '\\u') + iif(substr(rest, instr(rest, '\\u'), 12) GLOB '\\u[dD][89abAB]??\\u[dD][c-fC-F]*', 12, 6))`,
      `    FROM c WHERE instr(rest, '\\u') > 0`,
      `  ) SELECT replace(done || rest, char(1), '\\\\') FROM c WHERE instr(rest, '\\u') = 0`,
      `) WHERE line REGEXP ${sqlString(`\\\\u${nulOrSurrogate}`)};`,
      `INSERT INTO ${table} SELECT ${columns.map(value).join(', ')} FROM temp.${staging};`,
      `DROP TABLE temp.${staging};`,
    );
  },
};

export const jsonl: TextFormat = {
  endings: ['.jsonl', '.ndjson'],
  mediaType: 'application/jsonl',
  text: true,
  tables: false,
  delimiter: undefined,
  encoder: () => jsonlEncoder(),
  load: jsonlLoaders,
};
