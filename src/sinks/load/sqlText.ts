import type { ColumnKind } from '../table/ColumnType.ts';
import type { LoadedFile } from './LoadedFile.ts';

export const postgresTypes: { readonly [kind in ColumnKind]: string } = {
  string: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  date: 'date',
  json: 'json', // unlike jsonb, it takes any JSON
};

export function createTable({ table, columns }: LoadedFile, types: { readonly [kind in ColumnKind]: string }): string {
  return `CREATE TABLE ${table} (\n${columns.map(({ name, type }) => `  ${name} ${types[type]}`).join(',\n')}\n);`;
}

/** The file, or the command that unpacks it, in the form that `\copy` and `.import` take. */
export function source({ path, compression }: LoadedFile, program: string): string {
  if (compression === undefined) return program === '|' ? shellName(path) : sqlString(path);
  const command = `${compression === 'gzip' ? 'gzip' : 'zstd'} -dc '${path.replaceAll("'", `'\\''`)}'`;
  return program === '|' ? JSON.stringify(`|${command}`) : `${program}${sqlString(command)}`;
}

/** An argument of a command of the sqlite3 shell. */
export function shellName(name: string): string {
  return JSON.stringify(name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);
}

export function jsonPath(keys: readonly string[]): string {
  return `$${keys.map((key) => `."${key.replaceAll('"', '\\"')}"`).join('')}`;
}

export function sqlString(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

export function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
