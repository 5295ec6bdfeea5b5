import { PostgresConnection } from '../sinks/postgres/PostgresConnection.ts';
import { book, startBalance, type Balance, type Grant, type LedgerEntry } from './Balance.ts';
import type { SpendLedger } from './SpendLedger.ts';

const made = `
  SELECT pg_advisory_xact_lock(7382011);
  CREATE TABLE IF NOT EXISTS trawler_balances (balance text PRIMARY KEY, state jsonb NOT NULL);
  CREATE TABLE IF NOT EXISTS trawler_entries (id bigserial PRIMARY KEY, at timestamptz NOT NULL, entry jsonb NOT NULL, added jsonb NOT NULL);
  CREATE INDEX IF NOT EXISTS trawler_entries_at ON trawler_entries (at)`;

/** A ledger in PostgreSQL, for several machines. The row of a balance is locked while an entry is booked, and the server's clock counts. */
export class PostgresLedger implements SpendLedger {
  readonly name = 'postgres:trawler_balances';
  readonly #address: string;
  #connection: Promise<PostgresConnection> | undefined;

  constructor(address: string) {
    this.#address = address;
  }

  book(entry: LedgerEntry): Promise<Grant> {
    return this.#work(async (connection) => {
      await connection.begin();
      const { balance } = entry;
      await connection.query('INSERT INTO trawler_balances VALUES ($1, $2) ON CONFLICT DO NOTHING', [balance, startBalance()]);
      const { rows } = await connection.query(
        'SELECT state, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at FROM trawler_balances WHERE balance = $1 FOR UPDATE',
        [balance],
      );
      const { state, at } = rows[0] as { readonly state: Balance; readonly at: number };
      const booked = { ...entry, at };
      const grant = book(state, booked);
      await connection.query('UPDATE trawler_balances SET state = $2 WHERE balance = $1', [balance, state]);
      const line = 'INSERT INTO trawler_entries (at, entry, added) VALUES (to_timestamp($1::float8 / 1000), $2, $3)';
      await connection.query(line, [state.at, booked, grant.added]);
      await connection.commit();
      return grant;
    });
  }

  balances(): Promise<ReadonlyMap<string, Balance>> {
    return this.#work(async (connection) => {
      const { rows } = await connection.query('SELECT balance, state FROM trawler_balances');
      return new Map(rows.map(({ balance, state }) => [balance as string, state as Balance]));
    });
  }

  each(since: number, visit: (entry: LedgerEntry, added: Grant['added']) => void): Promise<void> {
    return this.#work(async (connection) => {
      const { rows } = await connection.query(
        'SELECT entry, added FROM trawler_entries WHERE at >= to_timestamp($1::float8 / 1000) ORDER BY id',
        [since],
      );
      for (const { entry, added } of rows) visit(entry as LedgerEntry, added as Grant['added']);
    });
  }

  async close(): Promise<void> {
    const open = this.#connection;
    this.#connection = undefined;
    (await open?.catch(() => undefined))?.close();
  }

  /** After a failure the next work connects anew: nobody knows what the old connection still does. */
  async #work<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    try {
      const connection = await (this.#connection ??= this.#open());
      return await connection.attempt('trawler_balances', () => work(connection));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #open(): Promise<PostgresConnection> {
    const connection = new PostgresConnection(this.#address, 'trawler ledger');
    await connection.attempt('trawler_balances', () => connection.open());
    await connection.attempt('trawler_balances', async () => {
      await connection.begin();
      await connection.query(made);
      await connection.commit();
    });
    return connection;
  }
}
