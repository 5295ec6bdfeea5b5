import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Loader, RowPrefix } from '../../../src/sinks/destination/Loader.ts';
import { postgresDestination, type DestinationTable, type PostgresPool } from '../../../src/sinks/index.ts';
import { seeded } from '../../files/seeded.ts';
import { postgresBin, startPostgres, type Postgres } from '../../startPostgres.ts';

type Client = Awaited<ReturnType<PostgresPool['connect']>> & { readonly processID: number };
interface Pool extends PostgresPool {
  connect(): Promise<Client>;
  query(sql: string, values?: readonly unknown[]): ReturnType<Client['query']>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
  readonly totalCount: number;
  readonly idleCount: number;
}
const { Pool } = createRequire(import.meta.url)('pg') as { readonly Pool: new (options: object) => Pool };

const cases = process.env['TRAWLER_LONG'] === '1' ? 2000 : 4;

/** What happens to a session of ours when it sends a statement. */
const blows = ['abort', 'kill', 'lose'] as const;
type Blow = (typeof blows)[number];

/** A pool whose clients meet a blow each so many statements. */
function struck(pool: Pool, admin: Pool, next: () => Blow | undefined, abort: () => void): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect();
      const query = client.query.bind(client) as (sql: string, values?: readonly unknown[]) => ReturnType<Client['query']>;
      const kill = () => admin.query('SELECT pg_terminate_backend($1, 1000)', [client.processID]);
      const struckQuery = async (sql: string, values?: readonly unknown[]): ReturnType<Client['query']> => {
        const blow = next();
        if (blow === 'kill') await kill();
        const result = query(sql, values);
        if (blow === 'abort') abort();
        if (blow !== 'lose') return result;
        await result.catch(() => undefined);
        await kill();
        throw new Error('the answer was lost');
      };
      return new Proxy(client, {
        get(inner, name) {
          if (name === 'query')
            return (sql: string, values?: readonly unknown[]): unknown => {
              if (typeof sql === 'string') return struckQuery(sql, values);
              const stream = query(sql);
              if (next() !== undefined) setImmediate(abort); // in the middle of a COPY
              return stream;
            };
          const value: unknown = inner[name as keyof Client];
          return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
        },
      });
    },
  };
}

describe.skipIf(postgresBin === undefined)('a pool that an application uses as well', () => {
  let postgres: Postgres;
  let admin: Pool;
  /** Each plays its cases one after the other. */
  let pools: readonly Pool[];
  beforeAll(async () => {
    postgres = await startPostgres();
    const connectionString = postgres.url;
    admin = new Pool({ connectionString, max: 8 });
    pools = Array.from({ length: 4 }, () => new Pool({ connectionString, max: 4, application_name: 'app' }));
    for (const one of [admin, ...pools]) one.on('error', () => undefined); // sessions that were killed
    await admin.query(`CREATE TABLE orders (id bigint PRIMARY KEY); CREATE TABLE banned (turn int, id int);
      CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF EXISTS (SELECT FROM banned WHERE turn = TG_ARGV[0]::int AND id = NEW.id) THEN RAISE 'row % is banned', NEW.id; END IF; RETURN NEW; END $$`);
  });
  afterAll(async () => {
    for (const pool of pools) await pool.end();
    await admin.end();
    await postgres.close();
  });

  const target = (name: string, key: readonly string[]): DestinationTable => ({
    name,
    columns: [
      { header: 'id', keys: ['id'], type: 'integer' },
      { header: 'text', keys: ['text'], type: 'string' },
    ],
    key,
    mode: 'merge',
    flow: 'flow',
    run: 'run',
    stage: 'stage',
    file: 'rows.jsonl',
  });
  const numbers = async (sql: string): Promise<number[]> => (await admin.query(sql)).rows.map(({ id }) => Number(id));

  /** Orders that come and are committed or rolled back, until it is told to stop. Says what it should find, and what was odd. */
  const application = (pool: Pool, random: () => number, isOver: () => boolean, first: number) => {
    const [kept, odd]: [number[], string[]] = [[], []];
    let id = first;
    const work = async (): Promise<void> => {
      while (!isOver()) {
        const client = await pool.connect();
        const [order, keeps, pause] = [(id += 1), random() < 0.5, Math.floor(random() * 4)];
        try {
          const { rows } = await client.query(
            "SELECT current_setting('application_name') AS name, current_setting('lock_timeout') AS wait, txid_current_if_assigned() AS transaction",
          );
          if (rows[0]!['name'] !== 'app' || rows[0]!['wait'] !== '0' || rows[0]!['transaction'] !== null) odd.push(JSON.stringify(rows[0]));
          await client.query('BEGIN');
          await client.query('INSERT INTO orders VALUES ($1)', [order]);
          await sleep(pause);
          await client.query(keeps ? 'COMMIT' : 'ROLLBACK');
          if (keeps) kept.push(order);
        } catch (error) {
          odd.push(String(error));
        }
        client.release();
        await sleep(5);
      }
    };
    return { kept, odd, done: Promise.all([work(), work()]) };
  };

  /** Loads rows while the application works, with blows, and as often as it takes. Returns what is wrong then. */
  const play = async (nth: number, pool: Pool): Promise<readonly string[]> => {
    const wrong: string[] = [];
    const random = seeded(nth);
    const table = target(`rows_${nth}`, random() < 0.5 ? ['id'] : []);
    await admin.query(`CREATE TABLE ${table.name} (id bigint ${table.key.length > 0 ? 'PRIMARY KEY' : ''}, text text);
        CREATE TRIGGER guard BEFORE INSERT ON ${table.name} FOR EACH ROW EXECUTE FUNCTION guard(${nth})`);
    const rows = Array.from({ length: 1 + Math.floor(random() * 30) }, (_, id) => ({
      id,
      text: random() < 0.05 ? 'nul\0' : 'x'.repeat(random() * 100),
    }));
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
    const all = Buffer.from(lines.join(''));
    let record: { readonly at: number; readonly line: string }[] = [];
    let isOver = false;
    const app = application(pool, random, () => isOver, nth * 1e6);
    const ban = (): Promise<unknown> =>
      admin.query(`DELETE FROM banned WHERE turn = ${nth}; INSERT INTO banned SELECT ${nth}, ${Math.floor(random() * 40)}`);
    await ban();
    for (let tries = 0; ; tries += 1) {
      const stop = new AbortController();
      const next = (): Blow | undefined => {
        if (tries > 2 || random() > 0.06) return undefined;
        void ban();
        return blows[Math.floor(random() * blows.length)];
      };
      const loader = new Loader(postgresDestination(struck(pool, admin, next, () => stop.abort())), table, {
        prefixAt: async ({ bytes, digest }) => {
          const prefix = RowPrefix.start().with(all.subarray(0, bytes));
          return prefix.digest === digest ? prefix : undefined;
        },
        reject: async (more) => void record.push(...more),
        forget: async (from) => void (record = record.filter(({ at }) => at < from)),
        signal: stop.signal,
      });
      try {
        let prefix = await loader.open(true);
        while (prefix.bytes < all.length) {
          const range = all.subarray(prefix.bytes).toString().split('\n').slice(0, 7).filter((line) => line !== ''); // prettier-ignore
          prefix = await loader.load(Buffer.from(range.map((line) => `${line}\n`).join('')), prefix);
        }
        break;
      } catch (error) {
        if (stop.signal.aborted) continue;
        wrong.push(`case ${nth}: ${String(error)}`);
        break;
      } finally {
        await loader.close();
      }
    }
    isOver = true;
    await app.done;
    const rejected = record.map(({ line }) => (JSON.parse(line) as { readonly id: number }).id);
    const found = [...(await numbers(`SELECT id FROM ${table.name}`)), ...rejected].sort((one, other) => one - other);
    if (String(found) !== String(rows.map(({ id }) => id))) wrong.push(`case ${nth}: rows ${String(found)}`);
    const orders = await numbers(`SELECT id FROM orders WHERE id / 1000000 = ${nth} ORDER BY id`);
    if (String(orders) !== String(app.kept.sort((one, other) => one - other))) wrong.push(`case ${nth}: other orders`);
    wrong.push(...app.odd.map((what) => `case ${nth}: ${what}`));
    if (pool.idleCount !== pool.totalCount) wrong.push(`case ${nth}: a client never came back`);
    await admin.query(`DROP TABLE ${table.name}`);
    return wrong;
  };

  it('commits nothing that the application rolled back, when it is stopped in the middle of a COPY', async () => {
    const pool = new Pool({ connectionString: postgres.url, max: 1 });
    const stop = new AbortController();
    const all = Buffer.from(Array.from({ length: 20_000 }, (_, id) => `${JSON.stringify({ id, text: 'x' })}\n`).join(''));
    let [isLoading, statements] = [false, 0]; // the third one of a load is its COPY
    const loader = (signal: AbortSignal, next: () => Blow | undefined): Loader =>
      new Loader(postgresDestination(struck(pool, admin, next, () => stop.abort())), target('stopped', []), {
        prefixAt: async ({ bytes }) => RowPrefix.start().with(all.subarray(0, bytes)),
        reject: () => Promise.resolve(),
        signal,
      });
    const stopped = loader(stop.signal, () => (isLoading && (statements += 1) === 3 ? 'abort' : undefined));
    await stopped.open(true);
    isLoading = true;
    await expect(stopped.load(all, RowPrefix.start())).rejects.toThrow('aborted');
    const client = await pool.connect(); // the one that the load had, if it went back
    await client.query('BEGIN; INSERT INTO orders VALUES (-1)');
    await sleep(300);
    await client.query('ROLLBACK');
    client.release();
    expect(await numbers('SELECT id FROM orders WHERE id = -1')).toEqual([]);
    const again = loader(new AbortController().signal, () => undefined);
    await again.load(all, await again.open(true));
    await again.close();
    expect(await numbers('SELECT count(*) AS id FROM stopped')).toEqual([20_000]);
    await pool.end();
  });

  it(`keeps its transactions and its sessions, and every row arrives once, in ${cases} cases`, async () => {
    const wrong: string[] = [];
    let next = 0;
    await Promise.all(
      pools.map(async (pool) => {
        while (next < cases) wrong.push(...(await play(next++, pool)));
      }),
    );
    expect(wrong).toEqual([]);
  }, 3_600_000);
});
