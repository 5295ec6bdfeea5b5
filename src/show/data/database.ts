import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { systemCode } from '../../files/FileSystem.ts';
import { sqlString } from '../../sinks/load/sqlText.ts';

/** DuckDB isn't installed. */
export class MissingDuckdb extends RangeError {
  constructor(cause: unknown) {
    super(
      'DuckDB shows more than the first rows: it sorts, filters, counts values and runs SQL. Install it: npm install @duckdb/node-api',
      {
        cause,
      },
    );
  }
}

function duckdb(): Promise<typeof import('@duckdb/node-api')> {
  return import('@duckdb/node-api').catch((error: unknown) => {
    throw systemCode(error) === 'ERR_MODULE_NOT_FOUND' ? new MissingDuckdb(error) : error;
  });
}

/** Whether DuckDB isn't installed. */
export function isDuckdbMissing(): Promise<boolean> {
  return duckdb().then(
    () => false,
    (error: unknown) => error instanceof MissingDuckdb,
  );
}

/** A database in this process's memory. Throws a MissingDuckdb if the package isn't installed. */
export async function createDatabase(): Promise<DuckDBInstance> {
  const { DuckDBInstance } = await duckdb();
  return DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false' });
}

/** A connection that writes nothing to the disk. `watch` is called with a function that returns which share of a query is done. */
export async function connectTo(database: DuckDBInstance, watch?: (share: () => number) => void): Promise<DuckDBConnection> {
  const connection = await database.connect();
  await connection.run('SET enable_progress_bar = true');
  await connection.run('SET enable_progress_bar_print = false');
  await connection.run("SET temp_directory = ''"); // nothing is written, also when memory runs out
  watch?.(() => Math.max(0, connection.progress.percentage) / 100);
  return connection;
}

/** Half of the memory of this machine or of this process's limit. */
const halfOfMemory = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2;

/**
 * Locks a database to a file: it can open no other, take no more memory than `maxBytes`, and change no setting. Call it before anything
 * of a folder is opened.
 */
export async function lockTo(connection: DuckDBConnection, path: string, maxBytes: number = halfOfMemory): Promise<void> {
  await connection.run(`SET memory_limit = '${Math.floor(maxBytes / 2 ** 20)}MiB'`);
  await connection.run(`SET allowed_paths = [${sqlString(resolve(path))}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}

/** Runs a query, and interrupts it if it takes longer than `ms`. */
export async function interruptAfter<Result>(ms: number, connection: DuckDBConnection, query: () => Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => connection.interrupt(), ms);
  try {
    return await query();
  } finally {
    clearTimeout(timer);
  }
}
