import { sqlString, postgresTypes, sqlName, uniqueNames } from '../load/sqlText.ts';
import type { ColumnKind } from '../table/TableColumn.ts';
import type { DestinationTable } from '../destination/RowDestination.ts';
import { sha256 } from '../../files/blocks.ts';
import { SinkError } from '../../errors/index.ts';
import type { PostgresConnection } from './PostgresConnection.ts';

/** A column as PostgreSQL has it. */
interface PostgresColumn {
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
function commentOn(table: string, columns: readonly PostgresColumn[]): string {
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
    after:
      `DELETE FROM ${into} AS old USING pg_temp.${staging} AS gone WHERE ` + key.map((name) => `old.${name} = gone.${name}`).join(' AND '),
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

/** Types of an existing table that hold what a column of each kind has. What of it is too much for one of them is rejected. */
const fitting: { readonly [kind in ColumnKind]: readonly string[] } = {
  string: ['text', 'character varying', 'character', 'uuid', 'citext', 'date', 'timestamp with time zone'],
  integer: ['bigint', 'integer', 'smallint', 'numeric', 'text', 'character varying'],
  number: ['double precision', 'numeric', 'bigint', 'integer', 'smallint', 'text', 'character varying'],
  boolean: ['boolean', 'text', 'character varying'],
  timestamp: ['timestamp with time zone', 'text', 'character varying'],
  date: ['date', 'text', 'character varying'],
  json: ['jsonb', 'json', 'text'],
};

interface TableState {
  readonly isThere: boolean;
  readonly missing: readonly PostgresColumn[];
}

const columnsSql = `SELECT attname::text AS name, regexp_replace(format_type(atttypid, atttypmod), '\\([^)]*\\)', '') AS type,
  attnotnull AND NOT atthasdef AND attidentity = '' AS needed
  FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`;
const keysSql = `SELECT (SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey)) AS names
  FROM pg_index WHERE indrelid = to_regclass($1) AND indisunique AND indimmediate AND indisvalid AND indpred IS NULL AND indexprs IS NULL`;

const relationSql = `SELECT relkind::text AS kind, pg_has_role(relowner, 'USAGE') AS own,
  EXISTS (SELECT FROM pg_depend WHERE refobjid = one.oid AND classid = 'pg_rewrite'::regclass AND deptype = 'n')
    OR EXISTS (SELECT FROM pg_constraint WHERE confrelid = one.oid AND conrelid <> one.oid) AS needed
  FROM pg_class AS one WHERE oid = to_regclass($1)`;

/** Throws a SinkError that says why the rows can't go to a table, or why it can't be replaced. Changes nothing. In a transaction. */
export async function checkTable(connection: PostgresConnection, table: PostgresTable): Promise<TableState> {
  await checkSchema(connection, table);
  const { name, into, columns } = table;
  const { rows } = await connection.query(relationSql, [name]);
  const [there] = rows as unknown as readonly { readonly kind: string; readonly own: boolean; readonly needed: boolean }[];
  const isReplaced = into !== name;
  const faults = [
    ...(there === undefined || (isReplaced ? 'rp' : 'rpf').includes(there.kind) ? [] : ["it isn't a table, but a view or the like"]),
    ...(isReplaced && there?.own === false ? ["it belongs to another user, so it can't be replaced"] : []),
    ...(isReplaced && there?.needed === true ? ["views or foreign keys use it, so it can't be replaced"] : []),
  ];
  if (faults.length > 0) throw unfit(name, faults);
  if (!isReplaced) return there === undefined ? { isThere: false, missing: columns } : checkColumns(connection, table);
  return { isThere: (await columnsThere(connection, into)).length > 0, missing: [] }; // as this run made it
}

/** Compares a table that is there with the rows to come. */
async function checkColumns(connection: PostgresConnection, table: PostgresTable): Promise<TableState> {
  const { name } = table;
  const there = await columnsThere(connection, name);
  const faults: string[] = [];
  const missing: PostgresColumn[] = [];
  for (const column of table.columns) {
    const own = there.find((one) => one.name === column.plain);
    if (own === undefined) missing.push(column);
    else if (!fitting[column.kind].includes(own.type))
      faults.push(`column ${column.plain} is ${own.type}, and ${column.type} or ${fitting[column.kind].slice(1).join(', ')} is needed`);
  }
  for (const { name: other, needed } of there)
    if (needed && table.columns.every(({ plain }) => plain !== other)) faults.push(`column ${other} must not be null, and no row has it`);
  const keys = table.columns.filter((column) => table.key.includes(column.name));
  const newKeys = keys.filter((column) => missing.includes(column));
  if (newKeys.length > 0) faults.push(`its key has no column ${newKeys.map(({ plain }) => plain).join(', ')}`);
  else if (keys.length > 0 && !(await hasKey(connection, name, keys)))
    faults.push(`its key isn't unique: ALTER TABLE ${name} ADD UNIQUE (${table.key.join(', ')})`);
  if (faults.length > 0) throw unfit(name, faults);
  await rehearse(connection, { ...table, columns: table.columns.filter((column) => !missing.includes(column)) });
  return { isThere: true, missing };
}

/** Loads no rows, with the statements that load rows. What the database refuses shows here: a generated column, a missing right. */
async function rehearse(connection: PostgresConnection, table: PostgresTable): Promise<void> {
  if (table.columns.length === 0) return;
  const { before, copy, after } = table.key.length === 0 ? addSql(table) : mergeSql(table);
  await connection.query(`SAVEPOINT rehearsal; ${before}`);
  await connection.copy(copy, []);
  await connection.query(`${after}; ROLLBACK TO rehearsal`);
}

function unfit(name: string, faults: readonly string[]): SinkError {
  return new SinkError(`the table ${name} doesn't fit: ${faults.join('; ')}`);
}

interface ColumnThere {
  readonly name: string;
  readonly type: string;
  /** Every row must have it. */
  readonly needed: boolean;
}

async function columnsThere(connection: PostgresConnection, table: string): Promise<readonly ColumnThere[]> {
  return (await connection.query(columnsSql, [table])).rows as unknown as readonly ColumnThere[];
}

async function hasKey(connection: PostgresConnection, table: string, keys: readonly PostgresColumn[]): Promise<boolean> {
  const { rows } = await connection.query(keysSql, [table]);
  const wanted = keys.map(({ plain }) => plain).toSorted();
  return rows.some(({ names }) => String((names as readonly string[]).toSorted()) === String(wanted));
}

/** Throws a SinkError if there is no such schema: it is made by the owner of the database. */
async function checkSchema(connection: PostgresConnection, { schema }: PostgresTable): Promise<void> {
  if (schema === undefined) return;
  const { rows } = await connection.query('SELECT to_regnamespace($1) AS there', [schema]);
  if (rows[0]?.['there'] === null) throw new SinkError(`the schema ${schema} doesn't exist: CREATE SCHEMA ${schema}`);
}

/** Makes the table, or adds the columns that it lacks, and the table of loads. In a transaction. */
export async function prepareTable(connection: PostgresConnection, table: PostgresTable): Promise<void> {
  await connection.query("SELECT pg_advisory_xact_lock(hashtext('trawler'))"); // two runs may make their tables at once
  const { isThere, missing } = await checkTable(connection, table);
  // it may belong to another user, who lets this one write to it
  if ((await columnsThere(connection, table.loads)).length === 0) await connection.query(createLoads(table.loads));
  if (!isThere) await connection.query(createPostgresTable(table, table.into));
  else if (missing.length > 0) {
    const added = missing.map(({ name, type }) => `ADD COLUMN ${name} ${type}`).join(', ');
    await connection.query(`ALTER TABLE ${table.into} ${added}; ${commentOn(table.into, missing)}`);
  }
}

function createLoads(name: string): string {
  return `CREATE TABLE ${name} (
    flow text NOT NULL, run text NOT NULL, stage text NOT NULL, "table" text NOT NULL, file text NOT NULL,
    position bigint NOT NULL, digest text NOT NULL, finished boolean NOT NULL DEFAULT false,
    loaded_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (run, stage, "table"));
    COMMENT ON TABLE ${name} IS 'How far each run of trawler is in loading its rows. Changes in the same transaction as the rows.'`;
}
