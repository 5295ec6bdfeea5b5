import { PostgresConnection } from '../sinks/postgres/PostgresConnection.ts';
import { NetworkError } from '../errors/index.ts';
import { applyEntry, fromJson, startBalance, toJson, type Balance, type Grant, type LedgerEntry } from './Balance.ts';
import { patienceMs, type SpendLedger } from './SpendLedger.ts';

const tables = `
  SELECT pg_advisory_xact_lock(7382011);
  CREATE TABLE IF NOT EXISTS trawler_balances (balance text PRIMARY KEY, version bigint NOT NULL, state jsonb NOT NULL);
  CREATE TABLE IF NOT EXISTS trawler_entries (
    number bigserial, id text PRIMARY KEY, at timestamptz NOT NULL, entry jsonb NOT NULL, granted jsonb NOT NULL
  );
  CREATE INDEX IF NOT EXISTS trawler_entries_at ON trawler_entries (at)`;

const readBalance = `
  SELECT version, state::text, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at,
    (SELECT granted::text FROM trawler_entries WHERE id = $2) AS granted
  FROM trawler_balances WHERE balance = $1`;

/** Changes nothing if another entry was booked in between. */
const changeBalance = `
  WITH moved AS (
    UPDATE trawler_balances SET version = version + 1, state = $3::jsonb WHERE balance = $1 AND version = $2 RETURNING balance
  )
  INSERT INTO trawler_entries (id, at, entry, granted)
  SELECT $4, to_timestamp($5::float8 / 1000), $6::jsonb, $7::jsonb FROM moved RETURNING id`;

interface FoundBalance {
  readonly version: string;
  readonly state: string;
  readonly at: number;
  readonly granted: string | null;
}

interface Open {
  readonly connection: PostgresConnection;
  /** Resolves when it is connected and the tables exist. */
  readonly ready: Promise<void>;
}

/**
 * A ledger in PostgreSQL, for several machines. The server's clock counts. An entry is applied to a balance here, and then one statement
 * stores both, but only if nobody else has changed the balance meanwhile. So nothing is locked between statements, and a client that
 * hangs or dies holds up no other.
 */
export class PostgresLedger implements SpendLedger {
  readonly name = 'postgres:trawler_balances';
  readonly #address: string;
  #open: Open | undefined;

  constructor(address: string) {
    this.#address = address;
  }

  book(entry: LedgerEntry, withinMs: number): Promise<Grant> {
    return this.#work(withinMs, async (connection) => {
      const { balance, id } = entry;
      for (;;) {
        const { rows } = await connection.query(readBalance, [balance, id]);
        const [found] = rows as unknown as readonly FoundBalance[];
        if (found === undefined) {
          await connection.query('INSERT INTO trawler_balances VALUES ($1, 0, $2) ON CONFLICT DO NOTHING', [
            balance,
            toJson(startBalance()),
          ]);
          continue;
        }
        if (found.granted !== null) return fromJson(found.granted) as Grant;
        const state = fromJson(found.state) as Balance;
        const booked = { ...entry, at: found.at };
        const grant = applyEntry(state, booked);
        const values = [balance, found.version, toJson(state), id, state.at, toJson(booked), toJson(grant)];
        if ((await connection.query(changeBalance, values)).rows.length > 0) return grant;
      }
    });
  }

  balances(): Promise<ReadonlyMap<string, Balance>> {
    return this.#work(patienceMs, async (connection) => {
      const { rows } = await connection.query('SELECT balance, state::text FROM trawler_balances');
      return new Map(rows.map(({ balance, state }) => [balance as string, fromJson(state as string) as Balance]));
    });
  }

  each(since: number, visit: (entry: LedgerEntry) => void): Promise<void> {
    return this.#work(Infinity, async (connection) => {
      const { rows } = await connection.query(
        'SELECT entry::text FROM trawler_entries WHERE at >= to_timestamp($1::float8 / 1000) ORDER BY number',
        [since],
      );
      for (const { entry } of rows) visit(fromJson(entry as string) as LedgerEntry);
    });
  }

  close(): Promise<void> {
    this.#open?.connection.close();
    this.#open = undefined;
    return Promise.resolve();
  }

  /** After a failure, the next call makes a new connection: it is unknown what the old one still does. */
  async #work<T>(withinMs: number, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const { connection, ready } = (this.#open ??= this.#connect());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      if (withinMs === Infinity) return;
      const what = `${this.name}: the database gave no response in ${Math.round(withinMs)} ms`;
      timer = setTimeout(() => reject(new NetworkError(what)), withinMs);
    });
    try {
      const done = ready.then(() => connection.attempt('trawler_balances', () => work(connection)));
      return await Promise.race([done, late]);
    } catch (error) {
      connection.close();
      if (this.#open?.connection === connection) this.#open = undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #connect(): Open {
    const connection = new PostgresConnection(this.#address, 'trawler ledger');
    const ready = connection.attempt('trawler_balances', async () => {
      await connection.open();
      await connection.begin();
      await connection.query(tables);
      await connection.commit();
    });
    ready.catch(() => undefined); // those who await `ready` get the error
    return { connection, ready };
  }
}
