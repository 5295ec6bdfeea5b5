import { randomUUID } from 'node:crypto';
import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  PostgresConnection,
  PostgresQueueBackend,
  Queue,
  quoteSchemaName,
  runMigrations,
  SchemaMigrationRequiredError,
  SchemaVersionMismatchError,
  UnsupportedPostgresVersionError,
  Worker,
  type BackendFactory,
  type Job,
  type PgModule,
  type PgPool,
  type PgQueryResult,
} from 'bullmq';
import { messageOf } from '../errors/TrawlerError.ts';
import { sqlStateOf, troubleOf } from '../sinks/postgres/troubleOf.ts';
import { loadPackage, requirePackages } from '../sinks/requirePackages.ts';
import {
  commandMs,
  resultsIn,
  leadMs,
  nextMs,
  pause,
  within,
  type AddedJob,
  type Broker,
  type Entry,
  type Lead,
  type LeaderSide,
  type Perform,
  type TakenJob,
  type WorkerSettings,
  type WorkerSide,
} from './Broker.ts';
import type { JobData } from './JobData.ts';

/** Queues in a schema of a PostgreSQL: `trawler_queue`, or the one that `?schema=` of the URL names. */
export class PostgresBroker implements Broker {
  readonly name: string;
  readonly #url: URL;
  readonly #schema: string;

  constructor(url: string) {
    requirePackages(['pg'], 'A queue in PostgreSQL needs one more package');
    this.#url = new URL(url);
    this.#schema = this.#url.searchParams.get('schema') ?? 'trawler_queue';
    this.#url.searchParams.delete('schema');
    if (!/^[a-z_][\w$]{0,62}$/i.test(this.#schema))
      throw new RangeError(`the schema of a queue is a name such as trawler_queue, not '${this.#schema}'`);
    this.name = `PostgreSQL at ${this.#url.hostname}:${this.#url.port === '' ? '5432' : this.#url.port}`;
  }

  lead(queue: string, leader: string): LeaderSide {
    return new PostgresLeader(queue, this.#connect(false), leader);
  }

  work(queue: string, perform: Perform, options: WorkerSettings): WorkerSide {
    return new PostgresWorker(queue, this.#connect(true), perform, options);
  }

  async init(): Promise<void> {
    const pool = poolOf(this.#url.href, this.#schema, false);
    try {
      const client = await pool.connect();
      await runMigrations(client, this.#schema)
        .then(() => client.query(tables))
        .finally(() => client.release());
    } finally {
      await pool.end();
    }
  }

  hopeless(error: unknown): string | undefined {
    if (error instanceof SchemaVersionMismatchError || error instanceof UnsupportedPostgresVersionError) return error.message;
    const code = sqlStateOf(error);
    if (error instanceof SchemaMigrationRequiredError || missing.has(code)) {
      return `${this.name} has no tables for queues, or too old ones. Make them: trawler queue init ${this.#shown()}`;
    }
    return code !== '' && troubleOf(error) === 'permanent' ? `${this.name} refuses: ${messageOf(error)} (${code})` : undefined;
  }

  #connect(patient: boolean): QueueDatabase {
    return new QueueDatabase(poolOf(this.#url.href, this.#schema, patient), this.#schema);
  }

  #shown(): string {
    const shown = new URL(this.#url);
    if (this.#schema !== 'trawler_queue') shown.searchParams.set('schema', this.#schema);
    return shown.href.replaceAll(/(?<=:\/\/[^@/]*:)[^@/]+(?=@)|(?<=[?&]password=)[^&]+/g, 'PASSWORD');
  }
}

/** The SQLSTATEs of a missing table, column, function or schema. */
const missing = new Set(['42P01', '42703', '42883', '3F000']);

/**
 * The tables for what BullMQ doesn't keep. Results are many and short-lived, so their table isn't logged: a crash of the server loses
 * them, and their pages are requested again. `trawler_add` adds results of a queue one after the other. So a reader that has seen one
 * has seen all before it.
 */
const tables = `
  SELECT pg_advisory_xact_lock(hashtext('trawler_queue')); -- one at a time
  CREATE TABLE IF NOT EXISTS trawler_run (queue text PRIMARY KEY, leader text, until timestamptz NOT NULL, run text);
  CREATE UNLOGGED TABLE IF NOT EXISTS trawler_worker (id uuid PRIMARY KEY, queue text, name text, seen timestamptz NOT NULL);
  CREATE UNLOGGED TABLE IF NOT EXISTS trawler_result (queue text, at bigint, fields bytea NOT NULL, PRIMARY KEY (queue, at));
  DO $$ BEGIN
    EXECUTE 'ALTER TABLE trawler_result ALTER COLUMN fields SET COMPRESSION lz4';
  EXCEPTION WHEN OTHERS THEN -- before version 14, or built without it; the other compression takes longer than no compression
    ALTER TABLE trawler_result ALTER COLUMN fields SET STORAGE EXTERNAL;
  END $$;
  CREATE OR REPLACE FUNCTION trawler_add(p_queue text, p_fields bytea, p_always boolean) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM trawler_run WHERE queue = p_queue FOR NO KEY UPDATE;
    IF FOUND OR p_always THEN
      INSERT INTO trawler_result
        SELECT p_queue, greatest((extract(epoch FROM clock_timestamp()) * 1e6)::bigint, coalesce(max(at), 0) + 1), p_fields
          FROM trawler_result WHERE queue = p_queue;
    END IF;
  END $$;
`;

/** A worker counts as gone if it wasn't seen for this long. */
const seenMs = 2000;

const lead = `
  INSERT INTO trawler_run AS held (queue, leader, until) VALUES ($1, $2, clock_timestamp() + $3 * interval '1 ms')
  ON CONFLICT (queue) DO UPDATE SET leader = excluded.leader, until = excluded.until
  WHERE held.leader IS NULL OR held.leader = $2 OR held.until < clock_timestamp()
  RETURNING leader`;

const look = `
  SELECT coalesce((SELECT max(at) FROM trawler_result WHERE queue = $1), 0)::text AS end,
    ARRAY(SELECT name FROM trawler_worker WHERE queue = $1 AND seen > clock_timestamp() - $2 * interval '1 ms' ORDER BY name) AS workers`;

const take = `
  WITH before AS (SELECT run FROM trawler_run WHERE queue = $1)
  UPDATE trawler_run SET run = $2 WHERE queue = $1 RETURNING (SELECT run FROM before) = $2 AS ours`;

const read = `SELECT at::text, fields FROM trawler_result WHERE queue = $1 AND at > $2 ORDER BY at LIMIT 100`;

const pollMs = { from: 2, to: 32 };

class PostgresLeader implements LeaderSide {
  readonly queue: LeaderSide['queue'] & Pick<Queue<JobText>, 'add' | 'getActive' | 'getRanges'>;
  readonly #name: string;
  readonly #database: QueueDatabase;
  readonly #leader: string;
  /** The position of the last result that was read. */
  #last = 0n;
  /** Jobs that neither wait nor run. Once all results up to `end` are read, they are gone: they bring no more results. */
  #over: { readonly jobs: ReadonlySet<string>; readonly end: bigint } = { jobs: new Set(), end: 0n };

  constructor(name: string, database: QueueDatabase, leader: string) {
    this.#name = name;
    this.#database = database;
    this.#leader = leader;
    const options = {
      connection: {},
      streams: { events: { maxLen: 1000 } },
      // Finished jobs aren't kept: that would double the time that BullMQ needs for a job.
      defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    };
    this.queue = new Queue(name, options, database.backend) as unknown as PostgresLeader['queue'];
  }

  /** Adds each job by itself: to add several at once, BullMQ makes temporary tables. */
  add(jobs: readonly AddedJob[]): Promise<unknown> {
    return Promise.all(jobs.map(({ name, data, opts }) => this.queue.add(name, textIn(data), opts)));
  }

  async active(): Promise<readonly Pick<TakenJob, 'id' | 'data'>[]> {
    const jobs = await within(commandMs, this.queue.getActive());
    return jobs.map(({ id, data }) => ({ id, data: dataOf(data) }));
  }

  async lead(jobs: readonly string[]): Promise<Lead | { readonly leader: string }> {
    const { rows } = await this.#sql(lead, [this.#name, this.#leader, leadMs]);
    if (rows.length === 0) {
      const { rows: others } = await this.#sql<{ leader: string | null }>('SELECT leader FROM trawler_run WHERE queue = $1', [this.#name]);
      return { leader: others[0]?.leader ?? 'it has just left' };
    }
    const alive = new Set(await within(commandMs, this.queue.getRanges(['wait', 'active'], 0, -1)));
    const { rows: found } = await this.#sql<{ end: string; workers: string[] }>(look, [this.#name, seenMs]);
    const { end, workers } = found[0]!;
    const over = new Set(jobs.filter((job) => !alive.has(job)));
    const gone = this.#last >= this.#over.end ? [...over].filter((job) => this.#over.jobs.has(job)) : [];
    this.#over = { jobs: over, end: BigInt(end) };
    return { workers, gone };
  }

  async take(run: string): Promise<boolean> {
    await this.#sql("DELETE FROM trawler_worker WHERE seen < clock_timestamp() - interval '1 minute'", []); // workers that were killed
    return (await this.#sql<{ ours: boolean | null }>(take, [this.#name, run])).rows[0]?.ours === true;
  }

  async all(): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let more = await this.#read(); more.length > 0; more = await this.#read()) entries.push(...more);
    return entries;
  }

  async next(): Promise<Entry[]> {
    const end = performance.now() + nextMs;
    for (let ms = pollMs.from; ; ms = Math.min(2 * ms, pollMs.to)) {
      const entries = await this.#read();
      if (entries.length > 0 || performance.now() > end) return entries;
      await pause(ms);
    }
  }

  async drop(at: readonly string[]): Promise<void> {
    await this.#sql('DELETE FROM trawler_result WHERE queue = $1 AND at = ANY ($2::bigint[])', [this.#name, at]);
  }

  async dropAll(): Promise<void> {
    await this.#sql('DELETE FROM trawler_result WHERE queue = $1', [this.#name]);
  }

  async leave(finished: boolean): Promise<void> {
    if (finished) {
      await this.#sql('DELETE FROM trawler_run WHERE queue = $1 AND leader = $2', [this.#name, this.#leader]);
      await this.dropAll();
    } else await this.#sql('UPDATE trawler_run SET leader = NULL WHERE queue = $1 AND leader = $2', [this.#name, this.#leader]);
  }

  close(): void {}

  async #read(): Promise<Entry[]> {
    const { rows } = await this.#sql<{ at: string; fields: Buffer }>(read, [this.#name, String(this.#last)]);
    const entries = rows.map(({ at, fields }) => resultsIn(at, unpack(fields)));
    this.#last = BigInt(entries.at(-1)?.at ?? this.#last);
    return entries;
  }

  async #sql<Row>(text: string, values: readonly unknown[]): Promise<PgQueryResult<Row>> {
    return within(
      commandMs,
      this.#database.waitUntilReady().then(() => this.#database.pool.once<Row>(text, values)),
    );
  }
}

/** A job's data with the pages as text. As JSON of the database, they would lose the order of keys, and some texts aren't allowed. */
interface JobText {
  readonly format: number;
  readonly pages: string;
}

function textIn({ format, pages }: JobData): JobText {
  return { format, pages: JSON.stringify(pages) };
}

function dataOf({ format, pages }: JobText): JobData {
  return { format, pages: JSON.parse(pages) as JobData['pages'] };
}

const seen = `
  INSERT INTO trawler_worker (id, queue, name, seen) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET seen = excluded.seen
  RETURNING (SELECT leader FROM trawler_run WHERE queue = $2 AND until > clock_timestamp())`;

class PostgresWorker implements WorkerSide {
  readonly worker: WorkerSide['worker'];
  readonly #id = randomUUID();
  readonly #queue: string;
  readonly #name: string;
  readonly #pool: QueuePool;

  constructor(queue: string, database: QueueDatabase, perform: Perform, options: WorkerSettings) {
    this.#queue = queue;
    this.#name = options.name;
    this.#pool = database.pool;
    const process = (job: Job<JobText>): Promise<object> =>
      perform({ id: job.id, attemptsStarted: job.attemptsStarted, data: dataOf(job.data) });
    this.worker = new Worker(queue, process, { ...options, connection: {} }, database.backend) as unknown as WorkerSide['worker'];
  }

  async look(): Promise<string | undefined> {
    const { rows } = await this.#pool.once<{ leader: string | null }>(seen, [this.#id, this.#queue, this.#name]);
    return rows[0]?.leader ?? undefined;
  }

  add(fields: readonly (string | Buffer)[], always: boolean): Promise<unknown> {
    return this.#pool.query('SELECT trawler_add($1, $2, $3)', [this.#queue, pack(fields), always]);
  }
}

/** Joins fields: a line of JSON with their lengths, then the fields. */
function pack(fields: readonly (string | Buffer)[]): Buffer {
  const parts = fields.map((field) => (typeof field === 'string' ? Buffer.from(field) : field));
  return Buffer.concat([Buffer.from(`${JSON.stringify(parts.map(({ length }) => length))}\n`), ...parts]);
}

function unpack(packed: Buffer): Buffer[] {
  let from = packed.indexOf('\n') + 1;
  const lengths = JSON.parse(packed.toString('latin1', 0, from)) as number[];
  return lengths.map((length) => packed.subarray(from, (from += length)));
}

interface QueuePool extends PgPool {
  /** Like `query`, but it fails at once if the database is away. */
  once<Row>(text: string, values: readonly unknown[]): Promise<PgQueryResult<Row>>;
}

const retryMs = 200;

/** A pool of connections. `patient`: queries wait while the database is away. */
function poolOf(connectionString: string, schema: string, patient: boolean): QueuePool {
  const { Pool, Client } = loadPackage('pg') as PgModule;
  // Sent as a query, not as a parameter of the connection, because connection poolers refuse that.
  const settings = `SET search_path = ${quoteSchemaName(schema)}; SET synchronous_commit = off`;
  class SetClient extends (Client as unknown as new (options: object) => {
    connect(done: Done): void;
    query(sql: string, done: Done): void;
    on(event: 'error', heard: () => void): void;
  }) {
    override connect(done: Done): void {
      this.on('error', () => undefined); // queries fail by themselves, but without a listener the error would end the process
      super.connect((error) => (error ? done(error) : this.query(settings, done)));
    }
  }
  class OurPool extends (Pool as new (
    options: object,
  ) => PgPool & { readonly ending: boolean; emit(event: 'error', error: unknown): void }) {
    once<Row>(text: string, values: readonly unknown[]): Promise<PgQueryResult<Row>> {
      return super.query(text, values);
    }

    override async query<Row>(text: string, values: readonly unknown[] = []): Promise<PgQueryResult<Row>> {
      for (;;) {
        try {
          return await this.once(text, values);
        } catch (error) {
          if (!patient || this.ending || troubleOf(error) !== 'temporary') throw error;
          this.emit('error', error);
          await pause(retryMs);
        }
      }
    }
  }
  const connecting = { keepAlive: true, connectionTimeoutMillis: 5000, query_timeout: 10_000, application_name: 'trawler' };
  const pool = new OurPool({ connectionString, Client: SetClient, max: 4, ...connecting });
  pool.on('error', () => undefined); // an idle connection that ends: the next query makes another
  return pool;
}

type Done = (error?: Error | null) => void;

/** BullMQ's connection, over our pool and with our schema. If the check of the schema fails, it is made again at the next use. */
class QueueDatabase extends PostgresConnection {
  declare readonly pool: QueuePool;
  readonly backend: BackendFactory<PostgresQueueBackend, object> = (name, options) =>
    new PostgresQueueBackend(this, name, options as never);
  readonly #schema: string;
  #ready: Promise<void> | undefined;

  constructor(pool: QueuePool, schema: string) {
    super(pool);
    this.#schema = schema;
  }

  override waitUntilReady(): Promise<void> {
    this.#ready ??= this.#check().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  override async close(): Promise<void> {
    const isFirst = this.isClosing === undefined;
    await super.close();
    if (isFirst) await this.pool.end();
  }

  async #check(): Promise<void> {
    const version = await assertSchemaCompatibility(this.pool, this.#schema);
    if (version < LATEST_SCHEMA_VERSION) throw new SchemaMigrationRequiredError(this.#schema);
  }
}
