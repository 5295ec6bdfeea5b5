import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnsOf } from '../../../src/contract/index.ts';
import { operations, type OperationName } from '../../../src/search/index.ts';
import { postgresDestination, type DestinationTable, type LoadResult, type OpenDestination } from '../../../src/sinks/index.ts';
import { RowPrefix } from '../../../src/sinks/destination/Loader.ts';
import { microsOf } from '../../../src/sinks/table/TableColumn.ts';
import { extraColumn } from '../../../src/sinks/table/TextRepair.ts';
import { csvCell } from '../../../src/sinks/table/csvCells.ts';
import { ofTheDay } from '../../ofTheDay.ts';
import { postgresBin, startPostgres, type Postgres } from '../../startPostgres.ts';
import { columnsFor, makeRows, type Row } from '../documentedRows.ts';

interface Pool {
  query(sql: string): Promise<{ readonly rows: readonly Row[] }>;
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
}
const { Pool } = createRequire(import.meta.url)('pg') as { readonly Pool: new (options: object) => Pool };

const many = process.env['TRAWLER_LONG'] === '1' ? 20_000 : 1000;

describe.skipIf(postgresBin === undefined)('postgresDestination', () => {
  let postgres: Postgres;
  let limited = 0;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startPostgres();
    pool = new Pool({ connectionString: postgres.url });
    pool.on('error', () => undefined); // the server stops before the last connection has ended
  });
  afterAll(async () => {
    await pool.end();
    await postgres.close();
  });

  const target = (more: Partial<DestinationTable>): DestinationTable => ({
    name: 'rows',
    columns: [
      { header: 'id', keys: ['id'], type: 'string' },
      { header: 'count', keys: ['count'], type: 'integer' },
      { header: 'at', keys: ['at'], type: 'timestamp' },
      { header: 'tags', keys: ['tags'], type: 'json' },
      extraColumn,
    ],
    key: ['id'],
    mode: 'merge',
    flow: 'flow',
    run: 'run',
    stage: 'stage',
    file: 'rows.jsonl',
    ...more,
  });
  const open = (table: DestinationTable): Promise<OpenDestination> => postgresDestination(postgres.url).open(table);
  const load = async (table: DestinationTable, rows: readonly object[]): Promise<LoadResult> => {
    const session = await open(table);
    const bytes = (await session.recover())?.bytes ?? 0;
    const result = await session.load(rows.map((row) => JSON.stringify(row)));
    await session.commit({ bytes: bytes + 1, digest: RowPrefix.start().digest });
    await session.close();
    return result;
  };
  const tableRows = async (sql: string): Promise<Row[]> =>
    (await pool.query(`SELECT coalesce(json_agg(t), '[]') AS found FROM (${sql}) t`)).rows[0]!['found'] as Row[];

  it('says which schema is missing before it changes anything, when it is asked and when it begins to load', async () => {
    const nowhere = target({ name: 'nowhere.rows' });
    const words = 'the schema "nowhere" doesn\'t exist: CREATE SCHEMA "nowhere"';
    await expect(postgresDestination(postgres.url).check!(nowhere)).rejects.toThrow(words);
    await expect(postgresDestination(postgres.url).check!({ ...nowhere, mode: 'replace' })).rejects.toThrow(words);
    await expect((await open(nowhere)).recover()).rejects.toThrow(words);
  });

  const some = new Set<OperationName>(['mapsReviews', ...ofTheDay(Object.keys(operations) as OperationName[], 2)]);
  it.each([...some])('returns rows of %s as they were', async (name) => {
    const count = name === 'mapsReviews' ? many : 100;
    const columns = columnsFor(columnsOf(operations[name]));
    const rows: Row[] = makeRows(columns, count).map((row, nth) => (nth % 10 === 0 ? { ...row, unheard_of: { nth } } : row));
    const table = target({
      name: name.toLowerCase(),
      stage: name,
      key: ['n_'],
      columns: [...columns.map(({ path, ...column }) => ({ header: path, ...column })), extraColumn],
    });
    const result = await load(table, rows);
    const rejected = new Set('rejected' in result ? result.rejected.map(({ line }) => line) : [-1]);
    expect(rejected.has(-1)).toBe(false);
    // only what PostgreSQL can't hold: a NUL, half a surrogate pair
    const unfit = rows.flatMap((row, nth) => (textsIn(row).some((text) => /\0|\p{Surrogate}/u.test(text)) ? [nth] : []));
    expect([...rejected].sort((one, other) => one - other)).toEqual(unfit);
    const cells = (row: Row): unknown[] =>
      columns.map(({ keys, type }) => {
        const value =
          keys.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? (at as Row)[key] : undefined), row) ?? null;
        if (value === null || ((type === 'timestamp' || type === 'date') && value === '')) return null;
        return type === 'timestamp' ? String(microsOf(value as string)) : type === 'string' ? csvCell(value) : value;
      });
    const found = await tableRows(`SELECT * FROM "${name.toLowerCase()}" ORDER BY n_`);
    const foundCells = found.map((row) =>
      columns.map(({ path, type }) => (type === 'timestamp' && row[path] !== null ? String(microsOf(row[path] as string)) : row[path])),
    );
    const fit = rows.filter((_, nth) => !rejected.has(nth));
    expect(foundCells).toEqual(fit.map(cells));
    expect(found.map(({ _extra }) => (_extra as Row | null)?.['unheard_of'])).toEqual(fit.map((row) => row['unheard_of']));
  });

  it('rejects what the table cannot hold, each row with its reason', async () => {
    const { rejected } = (await load(target({ name: 'odd' }), [
      { id: 'a', count: 1 },
      { id: 'nul\0' },
      { id: 'half\ud800' },
      { id: 'b', tags: ['\0'] },
      { id: 'c', count: 1e20 },
      { id: 'd', count: 1.5 },
      { id: 'e', count: '9223372036854775807' },
      { id: 'f', count: '9223372036854775808' },
      { id: 'g', at: 'yesterday' },
      { id: 'h', at: '' },
      { id: null },
      {},
    ])) as { readonly rejected: readonly { line: number; reason: string }[] };
    expect(rejected.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
      '1 id: a text with a NUL',
      '2 id: a text with half a character (a surrogate without its pair)',
      '3 tags: a text with a NUL or half a character',
      "4 count: 100000000000000000000 isn't a whole number of 64 bits",
      "5 count: 1.5 isn't a whole number of 64 bits",
      `7 count: "9223372036854775808" isn't a whole number of 64 bits`,
      `8 at: "yesterday" isn't a time with its zone`,
      "10 id: it is null, and a key can't be",
      "11 id: it is null, and a key can't be",
    ]);
    expect(await tableRows('SELECT id FROM odd ORDER BY id')).toEqual([{ id: 'a' }, { id: 'e' }, { id: 'h' }]);
  });

  it('refuses a range with a row that only the database finds wrong, and takes nothing of it', async () => {
    await pool.query('CREATE TABLE narrow (id varchar(3) PRIMARY KEY, count smallint);');
    const session = await open(target({ name: 'narrow' }));
    await session.recover();
    const refused = { refused: expect.stringMatching(/too long/) as string };
    expect(await session.load(['{"id":"one"}', '{"id":"three"}'])).toEqual(refused);
    expect(await session.load(['{"id":"one"}'])).toEqual({ rejected: [] });
    await session.commit({ bytes: 1, digest: 'x' });
    await session.close();
    expect(await tableRows('SELECT id FROM narrow')).toEqual([{ id: 'one' }]);
  });

  it('names a column another way where every table has one of its name', async () => {
    const columns = ['xmin', 'xmax'].map((header) => ({ header, keys: [header], type: 'integer' as const }));
    await load(target({ name: 'boxes', columns: [...columns, extraColumn], key: [] }), [{ xmin: 1, xmax: 2 }]);
    expect(await tableRows('SELECT xmin_2, xmax_2 FROM boxes')).toEqual([{ xmin_2: 1, xmax_2: 2 }]);
  });

  it('merges by key, and the last of equal rows wins', async () => {
    await load(target({ name: 'merged' }), [{ id: 'a', count: 1 }, { id: 'b', count: 1 }]); // prettier-ignore
    await load(target({ name: 'merged', run: 'later' }), [{ id: 'b', count: 2 }, { id: 'c', count: 1 }, { id: 'c', count: 2 }]); // prettier-ignore
    expect(await tableRows('SELECT id, count FROM merged ORDER BY id')).toEqual([
      { id: 'a', count: 1 },
      { id: 'b', count: 2 },
      { id: 'c', count: 2 },
    ]);
  });

  it('adds rows while all are new, and merges from the first one on that is there already', async () => {
    const session = await open(target({ name: 'grown' }));
    await session.recover();
    const ranges = [[['a', 1], ['b', 1]], [['c', 1], ['a', 2]], [['d', 1], ['b', 1]]]; // prettier-ignore
    for (const [nth, range] of ranges.entries()) {
      expect(await session.load(range.map(([id, count]) => JSON.stringify({ id, count })))).toEqual({ rejected: [] });
      await session.commit({ bytes: nth + 1, digest: 'x' });
    }
    await session.close();
    // xmin is the transaction that wrote a row: those of a range that was added, and those that were merged, have one each
    const written = await tableRows('SELECT id, count, dense_rank() OVER (ORDER BY xmin::text::bigint) AS range FROM grown ORDER BY id');
    expect(written.map((row) => Object.values(row).join(' '))).toEqual(['a 2 2', 'b 1 1', 'c 1 2', 'd 1 3']);
  });

  it('merges into a table whose policies forbid to copy, as a user to whom trawler_loads does not belong', async () => {
    await load(target({ name: 'first' }), []);
    await postgres.psql(`CREATE ROLE plain LOGIN; GRANT ALL ON SCHEMA public TO plain; GRANT ALL ON trawler_loads TO plain; SET ROLE plain;
      CREATE TABLE guarded (id text PRIMARY KEY, count bigint, at timestamptz, tags jsonb, _extra jsonb);
      ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; ALTER TABLE guarded FORCE ROW LEVEL SECURITY;
      CREATE POLICY everything ON guarded USING (true);`);
    const session = await postgresDestination(postgres.url.replace('//trawler@', '//plain@')).open(target({ name: 'guarded' }));
    await session.recover();
    expect(await session.load(['{"id":"a","count":1}'])).toEqual({ rejected: [] });
    await session.commit({ bytes: 1, digest: 'x' });
    await session.close();
    expect(await tableRows('SELECT id, count FROM guarded')).toEqual([{ id: 'a', count: 1 }]);
  });

  it('keeps a table until another one takes its place', async () => {
    await load(target({ name: 'whole', key: [] }), [{ id: 'old' }]);
    const table = target({ name: 'whole', key: [], mode: 'replace', run: 'other' });
    await load(table, [{ id: 'new' }]);
    expect(await tableRows('SELECT id FROM whole')).toEqual([{ id: 'old' }]);
    for (const _ of ['first', 'again']) {
      const session = await open(table);
      await session.recover();
      await session.finish!();
      await session.close();
      expect(await tableRows('SELECT id FROM whole')).toEqual([{ id: 'new' }]);
    }
    expect(await tableRows(`SELECT relname FROM pg_class WHERE relname LIKE 'whole_new%' AND relkind = 'r'`)).toEqual([]);
  });

  const check = (table: DestinationTable): Promise<void> => postgresDestination(postgres.url).check!(table);

  it.each([
    ['a generated column', 'CREATE TABLE made1 (id text PRIMARY KEY, count bigint GENERATED ALWAYS AS (1) STORED)', /column "count"/],
    ['an identity of its own', 'CREATE TABLE made2 (id text PRIMARY KEY, count bigint GENERATED ALWAYS AS IDENTITY)', /column "count"/],
    [
      'a view',
      'CREATE TABLE base (id text PRIMARY KEY, count bigint); CREATE VIEW made3 AS SELECT * FROM base',
      /isn't a table, but a view/,
    ],
    [
      'a statement that always fails',
      `CREATE TABLE made4 (id text PRIMARY KEY); CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'closed'; END $$; CREATE TRIGGER no BEFORE INSERT ON made4 EXECUTE FUNCTION no()`,
      /refuses: closed/,
    ],
  ])('refuses a table with %s before there is a row, when it is asked and when it begins to load', async (_, sql, message) => {
    await pool.query(`${sql};`);
    const table = target({ name: /made\d/.exec(sql)![0] });
    for (const key of [['id'], []]) {
      if (key.length === 0 && sql.includes('IDENTITY')) continue; // COPY may write to it
      await expect(check({ ...table, key })).rejects.toThrow(message);
      const session = await open({ ...table, key });
      await expect(session.recover()).rejects.toThrow(message);
      await session.close();
    }
  });

  it.each([
    ['a view', 'CREATE VIEW old1 AS SELECT 1 AS id', /isn't a table, but a view/],
    ['a table that a view uses', 'CREATE TABLE old2 (id text); CREATE VIEW of_old2 AS SELECT * FROM old2', /views or foreign keys use it/],
    [
      'a table that another refers to',
      'CREATE TABLE old3 (id text PRIMARY KEY); CREATE TABLE of_old3 (id text REFERENCES old3)',
      /views or foreign keys use it/,
    ],
  ])('refuses to put a table in place of %s', async (_, sql, message) => {
    await pool.query(`${sql};`);
    const table = target({ name: /old\d/.exec(sql)![0], mode: 'replace' });
    await expect(check(table)).rejects.toThrow(message);
    await expect((await open(table)).recover()).rejects.toThrow(message);
  });

  it('refuses a table that this user may not write to, or not replace', async () => {
    await pool.query('CREATE ROLE reader LOGIN; CREATE TABLE theirs (id text PRIMARY KEY); GRANT SELECT ON theirs TO reader;');
    const theirs = postgresDestination(postgres.url.replace('//trawler@', '//reader@'));
    await expect(theirs.check!(target({ name: 'theirs' }))).rejects.toThrow(/permission denied for table theirs/);
    await expect(theirs.check!(target({ name: 'theirs', mode: 'replace' }))).rejects.toThrow(/belongs to another user/);
  });

  it('changes nothing when it is asked', async () => {
    await pool.query('CREATE TABLE asked (id text PRIMARY KEY);');
    await check(target({ name: 'asked' }));
    await check(target({ name: 'unasked' }));
    expect(await tableRows("SELECT attname FROM pg_attribute WHERE attrelid = 'asked'::regclass AND attnum > 0")).toEqual([
      { attname: 'id' },
    ]);
    expect(await tableRows("SELECT to_regclass('unasked') AS found")).toEqual([{ found: null }]);
  });

  it('updates rows of a table with a column of type json', async () => {
    await pool.query('CREATE TABLE plain_json (id text PRIMARY KEY, tags json);');
    for (const tag of [1, 1, 2]) await load(target({ name: 'plain_json', run: `run ${tag}` }), [{ id: 'a', tags: [tag] }]);
    expect(await tableRows('SELECT id, tags FROM plain_json')).toEqual([{ id: 'a', tags: [2] }]);
  });

  it.each([[[]], [['id']]])('refuses a range with a row for which a trigger raises an exception, with the key %j', async (key) => {
    const name = `judged${key.length}`;
    await pool.query(`CREATE TABLE ${name} (id text PRIMARY KEY); CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.id = 'bad' THEN RAISE 'not this one'; END IF;
      IF NEW.id = 'worse' THEN RAISE 'nor this' USING ERRCODE = 'T1234'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER judge BEFORE INSERT ON ${name} FOR EACH ROW EXECUTE FUNCTION ${name}();`);
    const session = await open(target({ name, key }));
    await session.recover();
    expect(await session.load(['{"id":"good"}', '{"id":"bad"}'])).toEqual({ refused: 'not this one' });
    expect(await session.load(['{"id":"worse"}'])).toEqual({ refused: 'nor this' });
    expect(await session.load(['{"id":"good"}'])).toEqual({ rejected: [] });
    await session.close();
  });

  it.each([
    ['statement_timeout', "SET statement_timeout = '1ms'", /a statement was cancelled, .* statement_timeout is too short for it \(57014\)/],
    ['a read-only database', 'SET default_transaction_read_only = on', /the database is read-only, as a standby is \(25006\)/],
  ])('names %s', async (_, setting, message) => {
    const role = `limited${(limited += 1)}`;
    await load(target({ name: 'settled' }), []);
    await pool.query(`CREATE ROLE ${role} LOGIN SUPERUSER; ALTER ROLE ${role} ${setting};
      CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$;
      CREATE OR REPLACE TRIGGER slow BEFORE INSERT ON settled FOR EACH ROW EXECUTE FUNCTION slow();`);
    const session = await postgresDestination(postgres.url.replace('//trawler@', `//${role}@`)).open(target({ name: 'settled' }));
    const failure: unknown = await session.recover().then(() => session.load(['{"id":"a"}'])).catch((error: unknown) => error); // prettier-ignore
    await session.close();
    expect(failure).toMatchObject({ name: 'NetworkError', message: expect.stringMatching(message) as string });
  });

  it('waits two seconds for a lock, says so, and leaves no request for it behind', async () => {
    await load(target({ name: 'held' }), [{ id: 'a' }]);
    const holder = postgres.psql('BEGIN; SELECT count(*) FROM held; SELECT pg_sleep(60); COMMIT;').catch(() => undefined);
    const locks = async (which: string): Promise<unknown> =>
      (await tableRows(`SELECT count(*) AS n FROM pg_locks WHERE ${which}`))[0]!['n'];
    await expect.poll(() => locks("granted AND relation = 'held'::regclass")).toBe(1);
    const wider = target({
      name: 'held',
      columns: [...target({}).columns, { header: 'more', keys: ['more'], type: 'string' }],
      run: 'wider',
    });
    const session = await open(wider);
    await expect(session.recover()).rejects.toMatchObject({
      name: 'BusyError',
      message: 'postgres:held: another session holds a lock that it needs (55P03)',
    });
    expect(await locks('NOT granted')).toBe(0);
    await session.close();
    await pool.query("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid();");
    await holder;
  });

  it('ends a session that the run left behind, and does not load twice what it still commits', async () => {
    const table = target({ name: 'left', key: [] });
    const stale = await open(table);
    await stale.recover();
    await stale.load(['{"id":"a"}']);
    const session = await open(table);
    expect(await session.recover()).toBeUndefined();
    await expect(stale.commit({ bytes: 1, digest: 'x' })).rejects.toThrow('the database is away');
    await session.load(['{"id":"a"}']);
    await session.commit({ bytes: 1, digest: 'x' });
    await session.close();
    expect(await tableRows('SELECT id FROM "left"')).toEqual([{ id: 'a' }]);
  });
});

/** Every text in a value, names of fields included. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}
