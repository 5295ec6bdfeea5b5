import type { ColumnKind } from '../table/TableColumn.ts';
import type { LoadedFile } from '../formats/FileFormat.ts';
import type { DestinationTable } from '../destination/RowDestination.ts';

export const postgresTypes: { readonly [kind in ColumnKind]: string } = {
  string: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  date: 'date',
  json: 'json', // unlike jsonb, it takes any JSON
};

/** Replaces the table of an earlier load, unless the transaction fails. */
export function createTable({ table, columns }: LoadedFile, types: { readonly [kind in ColumnKind]: string }): string {
  const declared = columns.map(({ name, type }) => `  ${name} ${types[type]}`).join(',\n');
  return `DROP TABLE IF EXISTS ${table};\nCREATE TABLE ${table} (\n${declared}\n);`;
}

/** The file, or the command that decompresses it, in the form that `\copy` and `.import` take. */
export function source({ path, compression }: LoadedFile, program: string): string {
  if (compression === undefined) return program === '|' ? shellName(path) : sqlString(path);
  const command = `${compression === 'gzip' ? 'gzip' : 'zstd'} -dc '${path.replaceAll("'", `'\\''`)}'`;
  return program === '|' ? JSON.stringify(`|${command}`) : `${program}${sqlString(command)}`;
}

/** An argument of a command of the sqlite3 shell. */
export function shellName(name: string): string {
  return JSON.stringify(name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);
}

/** The JSON pointer of a value, for DuckDB. Unlike DuckDB's paths, a pointer takes any key. */
export function jsonPointer(keys: readonly string[]): string {
  return keys.length === 0 ? '$' : keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function sqlString(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** Statements for psql or the sqlite3 shell that all take effect, or none. */
export function transaction(database: 'postgres' | 'sqlite', ...statements: readonly string[]): string {
  return lines(database === 'postgres' ? '\\set ON_ERROR_STOP on' : '.bail on', 'BEGIN;', ...statements, 'COMMIT;');
}

export function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

const surrogate = '[dD][89a-fA-F]..';
export const nulOrSurrogate = `(0000|${surrogate})`;

/** SQL that replaces the escapes that match `lost` in a line of JSON by U+FFFD. Pairs of surrogates stay. For PostgreSQL and DuckDB. */
export function withoutHalfPairs(line: string, lost: string): string {
  const pairsApart =
    `regexp_replace(replace(${line}, '\\\\', chr(1)), '\\\\u([dD][89abAB]..)\\\\u([dD][c-fC-F]..)', chr(2) || '\\1' || ` +
    `chr(2) || '\\2', 'g')`;
  return `replace(replace(regexp_replace(${pairsApart}, '\\\\u${lost}', '\\\\ufffd', 'g'), chr(2), '\\u'), chr(1), '\\\\')`;
}

export const duckdbWhole: readonly string[] = [
  "-- JSON in DuckDB can't hold half a surrogate pair: it becomes U+FFFD.",
  `CREATE OR REPLACE TEMP MACRO whole(line) AS CASE WHEN regexp_matches(line, ${sqlString(`\\\\u${surrogate}`)}) THEN ` +
    `${withoutHalfPairs('line', surrogate)} ELSE line END;`,
];

/** The SQL that makes a table of a new database, and an index on its key. `types`: the database's type for each kind of column. */
export function tableSql(
  { name, columns, key }: DestinationTable,
  types: { readonly [kind in ColumnKind]: string },
): { readonly create: string; /** undefined: no column is indexed. */ readonly createIndex: string | undefined } {
  const names = uniqueNames(columns.map(({ header }) => header));
  const declared = columns.map(({ type }, nth) => `${sqlName(names[nth]!)} ${types[type]}`);
  const indexed = key.map((header) => names[columns.findIndex((column) => column.header === header)]).filter((one) => one !== undefined);
  const createIndex = `CREATE INDEX ${sqlName(`${name}_${indexed.join('_')}`)} ON ${sqlName(name)} (${indexed.map(sqlName).join(', ')})`;
  return {
    create: `CREATE TABLE ${sqlName(name)} (${declared.join(', ')})`,
    createIndex: indexed.length === 0 ? undefined : createIndex,
  };
}

/** Makes names unique, as databases need them: upper and lower case are the same, and `reserved` names are taken. */
export function uniqueNames(names: readonly string[], reserved: readonly string[] = []): readonly string[] {
  const taken = new Set(reserved);
  return names.map((name) => {
    const plain = name.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD') || '_';
    let unique = plain;
    for (let count = 2; taken.has(unique.toLowerCase()); count += 1) unique = `${plain}_${count}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
