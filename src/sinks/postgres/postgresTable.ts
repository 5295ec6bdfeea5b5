import { sqlString, postgresTypes, sqlName, uniqueNames } from '../load/sqlText.ts';
import type { ColumnKind } from '../table/TableColumn.ts';
import type { DestinationTable } from '../destination/RowDestination.ts';
import { sha256 } from '../../files/blocks.ts';
import { SinkError } from '../../errors/index.ts';
import type { PostgresConnection } from './PostgresConnection.ts';

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
  /** Quoted. undefined: the database's default. */
  readonly schema: string | undefined;
  /** The table that rows are loaded into. With `replace` it is a new one, which replaces `name` at the end. */
  readonly into: string;
  /** The table where runs store how far they are. */
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

function commentOn(table: string, columns: readonly PostgresColumn[]): string {
  const told = columns.filter(({ about }) => about !== undefined && about !== '');
  return told.map(({ name, about }) => `COMMENT ON COLUMN ${table}.${name} IS ${textOf(about!)};`).join(' ');
}

/** A string in SQL that is also right if the server reads backslashes as escapes. */
function textOf(value: string): string {
  return value.includes('\\') ? ` E${sqlString(value.replaceAll('\\', '\\\\'))}` : sqlString(value);
}

const staging = 'trawler_rows';

/** The statements around a copy of rows. `before` and `after` may be empty. */
export interface CopySql {
  readonly before: string;
  readonly copy: string;
  readonly after: string;
}

/** The statements that add rows. With a key, they fail if the table has one of the rows already. */
export function addSql({ into, columns }: PostgresTable): CopySql {
  return { before: '', copy: `COPY ${into} (${listOf(columns)}) FROM STDIN WITH (format text)`, after: '' };
}

/** The statements that merge rows by their key. Of several rows with one key, the last one counts. */
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

/** Column names that PostgreSQL allows. */
export function postgresNames(headers: readonly string[]): readonly string[] {
  return uniqueNames(headers, ownColumns).map(shortName);
}

/** Shortens a name that PostgreSQL would cut off. A digest keeps two such names apart. */
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

/** The types that a column of an existing table may have, for each kind of value. A value that doesn't fit is rejected later. */
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

/** Throws a SinkError that says why a table can't take the rows, or can't be replaced. Changes nothing. Call it in a transaction. */
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
  return { isThere: (await columnsThere(connection, into)).length > 0, missing: [] }; // this run made it with all columns
}

/** Compares an existing table with the columns of the rows. */
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

/** Runs the statements that load rows, without rows. So the database refuses a generated column or a missing right now, not later. */
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

/** Throws a SinkError if the schema doesn't exist. It isn't created here: that is up to the owner of the database. */
async function checkSchema(connection: PostgresConnection, { schema }: PostgresTable): Promise<void> {
  if (schema === undefined) return;
  const { rows } = await connection.query('SELECT to_regnamespace($1) AS there', [schema]);
  if (rows[0]?.['there'] === null) throw new SinkError(`the schema ${schema} doesn't exist: CREATE SCHEMA ${schema}`);
}

/** Creates the table or adds the columns that it lacks, and creates the table of loads. Call it in a transaction. */
export async function prepareTable(connection: PostgresConnection, table: PostgresTable): Promise<void> {
  await connection.query("SELECT pg_advisory_xact_lock(hashtext('trawler'))"); // two runs may make their tables at once
  const { isThere, missing } = await checkTable(connection, table);
  // not CREATE TABLE IF NOT EXISTS: it may belong to another user, who lets this one write to it but not create it
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
