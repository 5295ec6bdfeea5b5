import { createRequire } from 'node:module';
import { from, lastValueFrom, of, type OperatorFunction } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandCursor, items } from '../../src/operators.ts';
import { createClient } from '../../src/createClient.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { toPostgres, type PostgresClient, type PostgresPool } from '../../src/sinks/index.ts';
import { cuttingProxy } from '../flow/load/cuttingProxy.ts';
import { freePort } from '../freePort.ts';
import { postgresBin, startPostgres, type Postgres } from '../startPostgres.ts';

const { Pool } = createRequire(import.meta.url)('pg') as {
  readonly Pool: new (options: object) => PostgresPool & { end(): Promise<void>; on(event: 'error', listener: () => void): unknown };
};

describe('toPostgres', () => {
  it('refuses wrong options when it is called', () => {
    expect(() => toPostgres({ table: '' })).toThrow(RangeError);
    expect(() => toPostgres({ table: 't', pool: {} as never })).toThrow(/pool/);
    expect(() => toPostgres({ table: 't', keys: 'id' } as never)).toThrow(/did you mean 'key'/);
  });

  it('fails before its source is subscribed where no database is, and names no address', async () => {
    let subscribed = false;
    const source$ = from([{ id: 1 }]);
    const pool = `postgresql://u:hush@127.0.0.1:${await freePort()}/secret`;
    const failure: unknown = await lastValueFrom(
      of(0).pipe(
        () => ({ subscribe: (observer: never) => ((subscribed = true), source$.subscribe(observer)) }) as typeof source$,
        toPostgres({ table: 't', pool }),
      ),
    ).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/ECONNREFUSED/);
    expect(String(failure)).not.toMatch(/hush|secret/);
    expect(subscribed).toBe(false);
  });
});

describe.skipIf(postgresBin === undefined)('toPostgres with a database', () => {
  let postgres: Postgres;
  let pool: PostgresPool & { end(): Promise<void>; on(event: 'error', listener: () => void): unknown };
  beforeAll(async () => {
    postgres = await startPostgres();
    pool = new Pool({ connectionString: postgres.url });
    pool.on('error', () => undefined); // the server stops before the last connection has ended
  });
  afterAll(async () => {
    await pool.end();
    await postgres.close();
  });
  const psql = async (sql: string): Promise<string[]> => (await postgres.psql(sql)).trimEnd().split('\n');

  it('merges rows of any shape by key, and reports what it cannot hold', async () => {
    const unfit: string[] = [];
    const rows = [{ id: 'a', n: 1, tags: ['x'] }, { id: 'b', n: 2.5 }, { id: 'a', n: 3, more: true }, { id: null, n: 4 }]; // prettier-ignore
    const report = await lastValueFrom(
      from(rows).pipe(toPostgres({ table: 'own', key: 'id', pool, onRejected: (_, reason) => unfit.push(reason) })),
    );
    expect(report).toEqual({ table: 'own', rows: 3, rejected: 1 });
    expect(unfit).toEqual(["id: it is null, and a key can't be"]);
    expect(await psql('SELECT id, n, tags, more FROM own ORDER BY id')).toEqual(['a|3||t', 'b|2.5||']);
  });

  it('refuses pages, and makes no table of them', async () => {
    await using sandbox = await startSandbox();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
    const sink = toPostgres({ table: 'pages', pool }) as OperatorFunction<unknown, unknown>;
    const loaded = lastValueFrom(sink(client.mapsReviews({ data_id: '0x1:0x1' })));
    await expect(loaded).rejects.toThrow(new RangeError('toPostgres takes rows, and got a page of mapsReviews: write items() before it, as in pipe(items(), toPostgres(…))')); // prettier-ignore
    expect(await psql("SELECT to_regclass('pages') IS NULL")).toEqual(['t']);
  });

  it('holds requests while the database is slow, and loads every row once', async () => {
    await using sandbox = await startSandbox();
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, rate: 'unlimited' });
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const places = Array.from({ length: 30 }, (_, n) => ({ data_id: `0x${n}:0x${n}` }));
    const loaded = lastValueFrom(
      from(places).pipe(
        expandCursor(client.mapsReviews, { maxPages: 3 }),
        items(),
        toPostgres({ table: 'slow', key: 'review_id', pool: gated(pool, gate), waitingRows: 20 }),
      ),
    );
    let before = -1;
    while (before !== sandbox.count()) {
      before = sandbox.count();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(before).toBeLessThan(30);
    open();
    const { rows } = await loaded;
    expect(sandbox.count()).toBeGreaterThan(before);
    expect(await psql('SELECT count(*) FROM slow')).toEqual([String(rows)]);
  });

  it('leaves a pool at once when it is unsubscribed, though somebody locks the table, and leaves nothing on its client', async () => {
    const own = new Pool({ connectionString: postgres.url, max: 1, application_name: 'app' });
    const holder = await pool.connect();
    await holder.query('CREATE TABLE guarded (n double precision, _extra jsonb)');
    await holder.query('BEGIN; LOCK TABLE guarded');
    const waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'guarded'::regclass AND NOT granted";
    const loading = from([{ n: 1 }])
      .pipe(toPostgres({ table: 'guarded', pool: own }))
      .subscribe();
    while ((await psql(waiting))[0] === '0');
    loading.unsubscribe();
    const client = await own.connect();
    const settings = "SELECT current_setting('application_name') AS name, current_setting('lock_timeout') AS wait";
    expect((await client.query(settings)).rows).toEqual([{ name: 'app', wait: '0' }]);
    client.release();
    expect((await holder.query("SELECT count(*)::int FROM pg_locks WHERE relation = 'guarded'::regclass AND granted")).rows).toEqual([{ count: 1 }]); // prettier-ignore
    await holder.query('COMMIT');
    holder.release();
    expect(await psql('SELECT count(*) FROM guarded')).toEqual(['0']);
    await own.end();
  });

  it('loads every row once, without a key, though the connection is cut', async () => {
    const proxy = await cuttingProxy(Number(new URL(postgres.url).port));
    const address = new URL(postgres.url);
    address.port = String(proxy.port);
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    const loaded = lastValueFrom(from(rows).pipe(toPostgres({ table: 'cut', pool: address.href })));
    for (const how of ['in COPY', 'after COMMIT', 'now'] as const) {
      const before = proxy.cuts;
      proxy.cut(how);
      while (proxy.cuts === before) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await loaded).toEqual({ table: 'cut', rows: 20_000, rejected: 0 });
    expect(await psql('SELECT count(*), count(DISTINCT n) FROM cut')).toEqual(['20000|20000']);
    await proxy.close();
  });
});

/** A pool whose rows are committed only once a gate is open. */
function gated(pool: PostgresPool, gate: Promise<void>): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect();
      const query = client.query.bind(client);
      const slow: PostgresClient['query'] = async (sql, values) => {
        if (sql.startsWith('UPDATE') && sql.includes('trawler_loads')) await gate;
        return query(sql, values);
      };
      return new Proxy(client, {
        get(inner, name) {
          if (name === 'query')
            return (sql: string, values?: readonly unknown[]) => (typeof sql === 'string' ? slow(sql, values) : query(sql, values));
          const value: unknown = inner[name as keyof typeof inner];
          return typeof value === 'function' ? (value.bind(inner) as unknown) : value;
        },
      });
    },
  };
}
