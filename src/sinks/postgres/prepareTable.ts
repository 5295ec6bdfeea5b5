import { SinkError } from '../../errors/index.ts';
import type { PostgresClient } from './connectPostgres.ts';
import type { ColumnKind } from '../table/ColumnType.ts';
import { commentOn, createPostgresTable, type PostgresColumn, type PostgresTable } from './postgresTable.ts';

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

/** Compares a table with the rows to come. Throws a SinkError that says what doesn't fit. Changes nothing. */
export async function checkTable(client: PostgresClient, table: PostgresTable, name: string): Promise<TableState> {
  const there = await columnsThere(client, name);
  if (there.length === 0) return { isThere: false, missing: table.columns };
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
  else if (keys.length > 0 && !(await hasKey(client, name, keys)))
    faults.push(`its key isn't unique: ALTER TABLE ${name} ADD UNIQUE (${table.key.join(', ')})`);
  if (faults.length > 0) throw new SinkError(`the table ${name} doesn't fit: ${faults.join('; ')}`);
  return { isThere: true, missing };
}

interface ColumnThere {
  readonly name: string;
  readonly type: string;
  /** Every row must have it. */
  readonly needed: boolean;
}

async function columnsThere(client: PostgresClient, table: string): Promise<readonly ColumnThere[]> {
  return (await client.query(columnsSql, [table])).rows as unknown as readonly ColumnThere[];
}

async function hasKey(client: PostgresClient, table: string, keys: readonly PostgresColumn[]): Promise<boolean> {
  const { rows } = await client.query(keysSql, [table]);
  const wanted = keys.map(({ plain }) => plain).toSorted();
  return rows.some(({ names }) => String((names as readonly string[]).toSorted()) === String(wanted));
}

/** Throws a SinkError if there is no such schema: it is made by the owner of the database. */
export async function checkSchema(client: PostgresClient, { schema }: PostgresTable): Promise<void> {
  if (schema === undefined) return;
  const { rows } = await client.query('SELECT to_regnamespace($1) AS there', [schema]);
  if (rows[0]?.['there'] === null) throw new SinkError(`the schema ${schema} doesn't exist: CREATE SCHEMA ${schema}`);
}

/** Makes the table, or adds the columns that it lacks, and the table of loads. */
export async function prepareTable(client: PostgresClient, table: PostgresTable): Promise<void> {
  await checkSchema(client, table);
  await client.query('BEGIN');
  await client.query("SELECT pg_advisory_xact_lock(hashtext('trawler'))"); // two runs may make their tables at once
  // it may belong to another user, who lets this one write to it
  if ((await columnsThere(client, table.loads)).length === 0) await client.query(createLoads(table.loads));
  const isOwn = table.into !== table.name && (await columnsThere(client, table.into)).length > 0; // as this run made it
  const { isThere, missing } = isOwn ? { isThere: true, missing: [] } : await checkTable(client, table, table.into);
  if (!isThere) await client.query(createPostgresTable(table, table.into));
  else if (missing.length > 0) {
    const added = missing.map(({ name, type }) => `ADD COLUMN ${name} ${type}`).join(', ');
    await client.query(`ALTER TABLE ${table.into} ${added}; ${commentOn(table.into, missing)}`);
  }
  await client.query('COMMIT');
}

function createLoads(name: string): string {
  return `CREATE TABLE ${name} (
    flow text NOT NULL, run text NOT NULL, stage text NOT NULL, "table" text NOT NULL, file text NOT NULL,
    position bigint NOT NULL, digest text NOT NULL, finished boolean NOT NULL DEFAULT false,
    loaded_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (run, stage, "table"));
    COMMENT ON TABLE ${name} IS 'How far each run of trawler is in loading its rows. Changes in the same transaction as the rows.'`;
}
