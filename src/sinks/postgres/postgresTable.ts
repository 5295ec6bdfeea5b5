import { sqlString, postgresTypes } from '../load/sqlText.ts';
import { sqlName, uniqueNames } from '../table/tableSql.ts';
import type { ColumnKind } from '../table/TableColumn.ts';
import type { DestinationTable } from '../destination/RowDestination.ts';
import { sha256 } from '../../files/blocks.ts';

/** A column as PostgreSQL has it. */
export interface PostgresColumn {
  /** Quoted. */
  readonly name: string;
  readonly plain: string;
  readonly kind: ColumnKind;
  readonly type: string;
  readonly about: string | undefined;
}

/** The names and statements for one table. */
export interface PostgresTable {
  /** Quoted, with its schema. */
  readonly name: string;
  /** Quoted. undefined: the one that the database takes without a name. */
  readonly schema: string | undefined;
  /** Where rows are loaded: the table itself, or with `replace` one of this run that takes its place. */
  readonly into: string;
  /** Where runs say how far they are. */
  readonly loads: string;
  readonly columns: readonly PostgresColumn[];
  /** Quoted. */
  readonly key: readonly string[];
}

/** Lists and objects are `jsonb`, which can be indexed. */
const columnTypes: { readonly [kind in ColumnKind]: string } = { ...postgresTypes, json: 'jsonb' };

export function postgresTable({ name, columns, key, mode, run, stage }: DestinationTable): PostgresTable {
  const parts = name.split('.').map(shortName);
  const within = (table: string): string => [...parts.slice(0, -1), table].map(sqlName).join('.');
  const headers = columns.map(({ header }) => header);
  const names = postgresNames(headers);
  return {
    name: within(parts.at(-1)!),
    schema: parts.length === 1 ? undefined : parts.slice(0, -1).map(sqlName).join('.'),
    into: within(mode === 'replace' ? shortName(`${parts.at(-1)!}_new_${shortDigest(run + stage)}`) : parts.at(-1)!),
    loads: within('trawler_loads'),
    columns: columns.map(({ type, about }, nth) => {
      const plain = names[nth]!;
      return { name: sqlName(plain), plain, kind: type, type: columnTypes[type], about };
    }),
    key: key.map((header) => sqlName(names[headers.indexOf(header)]!)),
  };
}

export function createPostgresTable({ columns, key }: PostgresTable, name: string): string {
  const primary = key.length === 0 ? [] : [`PRIMARY KEY (${key.join(', ')})`];
  const lines = [...columns.map((column) => `${column.name} ${column.type}`), ...primary];
  return `CREATE TABLE ${name} (${lines.join(', ')}); ${commentOn(name, columns)}`;
}

/** Says what columns mean. */
export function commentOn(table: string, columns: readonly PostgresColumn[]): string {
  const told = columns.filter(({ about }) => about !== undefined && about !== '');
  return told.map(({ name, about }) => `COMMENT ON COLUMN ${table}.${name} IS ${textOf(about!)};`).join(' ');
}

/** Also where the server reads backslashes as escapes. */
function textOf(value: string): string {
  return value.includes('\\') ? ` E${sqlString(value.replaceAll('\\', '\\\\'))}` : sqlString(value);
}

const staging = 'trawler_rows';

/** Statements before and after rows are copied. Empty: there is none. */
export interface CopySql {
  readonly before: string;
  readonly copy: string;
  readonly after: string;
}

/** The statements that add rows. With a key, they fail if the table has one of the rows already. */
export function addSql({ into, columns }: PostgresTable): CopySql {
  return { before: '', copy: `COPY ${into} (${listOf(columns)}) FROM STDIN WITH (format text)`, after: '' };
}

/** The statements that merge rows by their key, the last of equal ones. */
export function mergeSql({ into, columns, key }: PostgresTable): CopySql {
  const list = listOf(columns);
  const others = columns.filter(({ name }) => !key.includes(name));
  // a column of type json can't be compared
  const valuesOf = (row: string): string => others.map(({ name, kind }) => `${row}.${name}${kind === 'json' ? '::text' : ''}`).join(', ');
  const set = others.map(({ name }) => `${name} = excluded.${name}`).join(', ');
  const update = `DO UPDATE SET ${set} WHERE (${valuesOf('old')}) IS DISTINCT FROM (${valuesOf('excluded')})`;
  return {
    before: `CREATE TEMP TABLE ${staging} ON COMMIT DROP AS SELECT ${list} FROM ${into} WITH NO DATA`,
    copy: `COPY pg_temp.${staging} (${list}) FROM STDIN WITH (format text)`,
    after: [
      `INSERT INTO ${into} AS old (${list}) SELECT DISTINCT ON (${key.join(', ')}) ${list} FROM pg_temp.${staging}`,
      `ORDER BY ${key.join(', ')}, ctid DESC ON CONFLICT (${key.join(', ')}) ${others.length === 0 ? 'DO NOTHING' : update}`,
    ].join(' '),
  };
}

/** The statements that delete rows by their key. */
export function removeSql({ into, key }: PostgresTable): CopySql {
  const list = key.join(', ');
  return {
    before: `CREATE TEMP TABLE ${staging} ON COMMIT DROP AS SELECT ${list} FROM ${into} WITH NO DATA`,
    copy: `COPY pg_temp.${staging} (${list}) FROM STDIN WITH (format text)`,
    after: `DELETE FROM ${into} AS old USING pg_temp.${staging} AS gone WHERE ${key.map((name) => `old.${name} = gone.${name}`).join(' AND ')}`,
  };
}

function listOf(columns: readonly PostgresColumn[]): string {
  return columns.map(({ name }) => name).join(', ');
}

const longest = 63;
const ownColumns = ['tableoid', 'ctid', 'xmin', 'cmin', 'xmax', 'cmax']; // every table of PostgreSQL has them

/** The names of columns as PostgreSQL can have them. */
export function postgresNames(headers: readonly string[]): readonly string[] {
  return uniqueNames(headers, ownColumns).map(shortName);
}

/** PostgreSQL would cut a longer name off, and two of them could become one. */
export function shortName(name: string): string {
  if (Buffer.byteLength(name) <= longest) return name;
  const digest = shortDigest(name);
  let short = name;
  while (Buffer.byteLength(short) > longest - digest.length - 1) short = Array.from(short).slice(0, -1).join('');
  return `${short}_${digest}`;
}

function shortDigest(text: string): string {
  return sha256().update(text).digest('hex').slice(0, 8);
}
