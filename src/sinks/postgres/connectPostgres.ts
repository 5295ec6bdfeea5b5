import type { Writable } from 'node:stream';
import { NetworkError, SinkError } from '../../errors/index.ts';
import { messageOf } from '../../errors/messageOf.ts';
import { loadPackage, requirePackages } from '../requirePackages.ts';

/** A connection: a client of the package pg, or one that its pool lends. */
export interface PostgresClient {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly { readonly [column: string]: unknown }[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** A pool of the package pg. */
export interface PostgresPool {
  connect(): Promise<PostgresClient & { release(broken?: boolean): void }>;
}

/** A connection that is in use, and how to give it back. */
export interface Connection {
  readonly client: PostgresClient;
  /** The stream for the rows of a `COPY … FROM STDIN`. */
  copy(sql: string): Writable;
  close(): Promise<void>;
}

/** Where a PostgreSQL is. undefined: where DATABASE_URL says, else the variables PGHOST, PGUSER …. */
export type PostgresAddress = string | PostgresPool | undefined;

/** Connects. No error says where to: an address may hold a password. */
export async function connectPostgres(address: PostgresAddress): Promise<Connection> {
  requirePackages(['pg', 'pg-copy-streams'], 'PostgreSQL needs two more packages');
  const { from } = loadPackage('pg-copy-streams') as { readonly from: (sql: string) => never };
  const copyWith =
    (client: PostgresClient) =>
    (sql: string): Writable =>
      client.query(from(sql)) as unknown as Writable;
  if (typeof address === 'object') {
    const client = await address.connect();
    let isBroken = false;
    const lost = (): void => void (isBroken = true); // the query under way fails as well
    client.on('error', lost);
    return {
      client,
      copy: copyWith(client),
      async close() {
        await client.query('ROLLBACK').catch(lost);
        client.off('error', lost);
        client.release(isBroken);
      },
    };
  }
  const { Client } = loadPackage('pg') as { readonly Client: new (options: object) => PgClient };
  const client = openClient(Client, addressOf(address));
  client.on('error', () => undefined); // the query under way fails as well
  await client.connect();
  return {
    client,
    copy: copyWith(client),
    close: () => {
      client.connection.stream.destroy(); // at once, also in the middle of a statement
      return Promise.resolve();
    },
  };
}

interface PgClient extends PostgresClient {
  connect(): Promise<void>;
  readonly connection: { readonly stream: { destroy(): void } };
}

function openClient(Client: new (options: object) => PgClient, url: string | undefined): PgClient {
  try {
    return new Client({ connectionString: url, keepAlive: true, keepAliveInitialDelayMillis: 10_000, connectionTimeoutMillis: 10_000 });
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

/** What an error of PostgreSQL means, by the class of its SQLSTATE. `row`: some row can't be taken. */
type PostgresTrouble = 'row' | 'passes' | 'lasts';

/** data, constraint, a row twice in one statement, program limit; then connection, rollback, resources, state, operator, system. */
const troubles: { readonly [sqlState: string]: PostgresTrouble } = {
  ...Object.fromEntries(['21', '22', '23', '54'].map((one) => [one, 'row' as const])),
  ...Object.fromEntries(['08', '25', '40', '53', '55', '57', '58', 'XX'].map((one) => [one, 'passes' as const])),
};

export function troubleOf(error: unknown): PostgresTrouble {
  if (error instanceof SinkError) return 'lasts';
  const code = codeOf(error);
  return /^[0-9A-Z]{5}$/.test(code) && !systemCodes.has(code) ? (troubles[code.slice(0, 2)] ?? 'lasts') : 'passes';
}

/** Codes of the system that look like an SQLSTATE. */
const systemCodes = new Set(['EPIPE', 'EPERM']);

/** An error of PostgreSQL or of its connection, as one that says whether it may pass. It has no address. */
export function errorAt(table: string, error: unknown): SinkError | NetworkError {
  const at = `postgres:${table}:`;
  const code = codeOf(error);
  if (troubleOf(error) === 'passes') return new NetworkError(`${at} the database is away${code === '' ? '' : ` (${code})`}`);
  if (code.startsWith('28')) return new SinkError(`${at} the database doesn't let this user in (${code})`);
  const why = messageOf(error);
  return new SinkError(error instanceof SinkError ? `${at} ${why}` : `${at} the database refuses: ${why} (${code})`);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
