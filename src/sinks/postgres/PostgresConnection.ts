import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { SinkError, BusyError, NetworkError } from '../../errors/index.ts';
import { sqlString } from '../load/sqlText.ts';
import { loadPackage, requirePostgres } from '../requirePackages.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import { sqlStateOf, troubleOf } from './troubleOf.ts';

/** A client of the package pg: one of its own, or one that a pool lends. */
export interface PostgresClient {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly { readonly [column: string]: unknown }[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** A pool of the package pg. */
export interface PostgresPool {
  connect(): Promise<PostgresClient & { release(broken?: boolean): void }>;
}

/** The address of a PostgreSQL. undefined: DATABASE_URL, else the variables PGHOST, PGUSER …. */
export type PostgresAddress = string | PostgresPool | undefined;

/** How long to wait for a lock. While we wait, all later sessions wait behind us, so we give up and let them go first. */
const lockTimeout = '2s';
const blockLength = 1 << 16;

/**
 * A connection that can be closed at any moment, also while it is being opened. After that it sends nothing more. A pool gets its
 * client back for reuse only if no transaction or statement is under way on it. Otherwise the pool is told to throw it away.
 */
export class PostgresConnection {
  readonly #address: PostgresAddress;
  readonly #name: string;
  #client: PostgresClient | undefined;
  /** Ends our own connection, or gives the one of a pool back. */
  #end: () => void = () => undefined;
  #isClosed = false;
  #isLost = false;
  #isInTransaction = false;
  /** How many statements wait for their results. */
  #underWay = 0;

  /** `name`: the `application_name` of its transactions. Other processes of this run find them by it in `pg_stat_activity`. */
  constructor(address: PostgresAddress, name: string) {
    this.#address = address;
    this.#name = name;
  }

  /** Connects. No error contains the address, which may hold a password. */
  async open(): Promise<void> {
    this.#checkOpen();
    requirePostgres();
    const lost = (): void => void (this.#isLost = true); // the statement under way fails by itself
    if (typeof this.#address === 'object') {
      const client = await this.#address.connect();
      client.on('error', lost);
      this.#end = () => {
        client.off('error', lost);
        client.release(this.#isLost || this.#isInTransaction || this.#underWay > 0);
      };
      this.#client = client;
      if (this.#isClosed) this.#end();
    } else {
      const client = newClient(addressOf(this.#address));
      client.on('error', lost);
      this.#end = () => client.connection.stream.destroy(); // at once, also in the middle of a statement
      await client.connect();
      this.#client = client;
    }
    this.#checkOpen();
  }

  query(sql: string, values?: readonly unknown[]): ReturnType<PostgresClient['query']> {
    return this.#work((client) => client.query(sql, values));
  }

  /** Sends the lines of a `COPY … FROM STDIN`. */
  copy(sql: string, texts: Iterable<string>): Promise<void> {
    return this.#work(async (client) => {
      const { from } = loadPackage('pg-copy-streams') as { readonly from: (sql: string) => never };
      const stream = client.query(from(sql)) as unknown as Writable;
      stream.on('error', () => undefined); // `done` rejects with the first one
      const done = once(stream, 'finish');
      done.catch(() => undefined); // awaited below
      let block = '';
      for (const text of texts) {
        block += text;
        if (block.length < blockLength) continue;
        if (!stream.write(block)) await Promise.race([once(stream, 'drain'), done]);
        block = '';
      }
      stream.end(block);
      await done;
    });
  }

  /** Begins a transaction. Its settings are local to it, so a client goes back to its pool without them. */
  async begin(): Promise<void> {
    this.#isInTransaction = true;
    await this.query(`BEGIN; SET LOCAL lock_timeout = '${lockTimeout}'; SET LOCAL application_name = ${sqlString(this.#name)}`);
  }

  commit(): Promise<void> {
    return this.#endTransaction('COMMIT');
  }

  rollBack(): Promise<void> {
    return this.#endTransaction('ROLLBACK');
  }

  /** Runs work for a table. If it fails, the transaction is rolled back, and the error is a SinkError or a NetworkError. */
  async attempt<T>(table: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (this.#isInTransaction && this.#underWay === 0) await this.rollBack().catch(() => undefined);
      throw errorAt(table, cause);
    }
  }

  /** Ends the transactions of an earlier process of this run. The server may not have noticed yet that the process has ended. */
  async endOthers(): Promise<void> {
    const others = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()';
    await this.query(others, [this.#name]);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#end();
  }

  async #endTransaction(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    await this.query(how);
    this.#isInTransaction = false;
  }

  async #work<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    this.#checkOpen();
    this.#underWay += 1;
    try {
      return await work(this.#client!);
    } finally {
      this.#underWay -= 1;
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error('the connection was closed');
  }
}

interface OwnClient extends PostgresClient {
  connect(): Promise<void>;
  readonly connection: { readonly stream: { destroy(): void } };
}

function newClient(url: string | undefined): OwnClient {
  const { Client } = loadPackage('pg') as { readonly Client: new (options: object) => OwnClient };
  const connecting = { keepAlive: true, keepAliveInitialDelayMillis: 10_000, connectionTimeoutMillis: 10_000 };
  try {
    return new Client({ connectionString: url, fallback_application_name: 'trawler', ...connecting });
  } catch {
    throw new SinkError('the address of the PostgreSQL is no URL such as postgresql://user:password@host:5432/database');
  }
}

function addressOf(address: string | undefined): string | undefined {
  const url = address ?? process.env['DATABASE_URL'];
  if (url !== undefined && url !== '') return url;
  if (['PGHOST', 'PGHOSTADDR', 'PGUSER', 'PGDATABASE', 'PGPORT'].some((name) => process.env[name] !== undefined)) return undefined;
  throw new SinkError('where is the PostgreSQL? Give --postgres URL, or set DATABASE_URL, or PGHOST, PGUSER, PGDATABASE …');
}

/** Temporary failures in words, by SQLSTATE or by its class. For all others: the database is away. */
const temporary: { readonly [state: string]: string } = {
  '25006': 'the database is read-only, as a standby is',
  '40': 'another session was in the way',
  '53': 'the database has no disk, memory or connection left',
  '55P03': 'another session holds a lock that it needs',
  '57014': 'a statement was cancelled, by hand or because statement_timeout is too short for it',
};

/** Turns an error of PostgreSQL or of its connection into one that says whether to retry. It doesn't contain the address. */
function errorAt(table: string, error: unknown): SinkError | NetworkError {
  const at = `postgres:${table}:`;
  const code = sqlStateOf(error);
  if (troubleOf(error) === 'temporary') {
    const message = `${at} ${temporary[code] ?? temporary[code.slice(0, 2)] ?? 'the database is away'}${code === '' ? '' : ` (${code})`}`;
    return code === '55P03' ? new BusyError(message) : new NetworkError(message);
  }
  if (code.startsWith('28')) return new SinkError(`${at} the database doesn't let this user in (${code})`);
  const why = messageOf(error);
  return new SinkError(error instanceof SinkError ? `${at} ${why}` : `${at} the database refuses: ${why} (${code})`);
}
