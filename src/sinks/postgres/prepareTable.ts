import { SinkError } from '../../errors/index.ts';
import type { PostgresConnection } from './PostgresConnection.ts';
import type { ColumnKind } from '../table/TableColumn.ts';
import { addSql, commentOn, createPostgresTable, mergeSql, type PostgresColumn, type PostgresTable } from './postgresTable.ts';

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
