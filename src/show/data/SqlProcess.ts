import { fork, type ChildProcess } from 'node:child_process';
import { totalmem } from 'node:os';
import type { SqlRows } from '../api.ts';
import { builtFile } from '../builtFile.ts';
import type { TableSpec } from './TableSpec.ts';

/** Which part of a query's result to return. */
export interface SqlPart {
  /** How many rows to skip. @default 0 */
  readonly offset?: number | undefined;
  /** Longer cells are cut, and say how long they were. @default no cell is cut */
  readonly maxCell?: number | undefined;
  /** How long the query may take. @default 20 seconds */
  readonly ms?: number | undefined;
}

/** A message to the process: first the table to open, then one query after the other. */
export type SqlRequest = { readonly spec: TableSpec; readonly maxBytes: number } | ({ readonly sql: string } & Omit<SqlPart, 'ms'>);

/** Its response: the table is open, the rows, or why there are none. `last`: it ends itself after this. */
export type SqlResponse = { readonly open: true } | { readonly rows: SqlRows } | { readonly fault: string; readonly last?: true };

const [maxOpenMs, maxSqlMs, idleMs] = [600_000, 20_000, 60_000];
/** Half of the memory of this machine or of this process's limit, but at most 4 GiB. */
const mostBytes = Math.min(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2, 2 ** 32);

/**
 * Runs a user's SQL over one table in a process of its own. The process is killed when a query takes too long or too much memory, because
 * DuckDB checks neither inside of one function. It starts with the first query, and ends after a minute without one.
 */
export class SqlProcess {
  readonly #spec: TableSpec;
  readonly #maxBytes: number;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** The last query. The next one waits for it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(spec: TableSpec, maxBytes: number = mostBytes) {
    this.#spec = spec;
    this.#maxBytes = maxBytes;
  }

  /** Runs a query. Throws a RangeError if it can't be run, and says why. */
  query(sql: string, { ms = maxSqlMs, ...part }: SqlPart = {}): Promise<SqlRows> {
    const rows = this.#last.then(async () => {
      clearTimeout(this.#idle);
      const child = this.#child ?? (await this.#open());
      const response = await this.#request(child, { sql, ...part }, ms, `The query took longer than ${ms / 1000} seconds`);
      this.#idle = setTimeout(() => this.close(), idleMs).unref();
      return (response as { readonly rows: SqlRows }).rows;
    });
    this.#last = rows.catch(() => undefined);
    return rows;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #open(): Promise<ChildProcess> {
    const child = fork(builtFile('sql.js'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#child = child;
    child.once('disconnect', () => {
      if (this.#child === child) this.#child = undefined;
    });
    child.unref();
    const request = { spec: this.#spec, maxBytes: this.#maxBytes };
    await this.#request(child, request, maxOpenMs, `Reading ${this.#spec.info.file} took longer than ${maxOpenMs / 60_000} minutes`);
    return child;
  }

  #request(child: ChildProcess, request: SqlRequest, ms: number, tooLong: string): Promise<SqlResponse> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => fail(`${tooLong}, so it was ended.`, true), ms);
      const gone = (): void => fail('The process of the query has ended.', true);
      const done = (): void => {
        clearTimeout(timer);
        child.off('message', told).off('disconnect', gone).off('error', gone);
      };
      const fail = (fault: string, isEnd: boolean): void => {
        done();
        if (isEnd) this.close();
        reject(new RangeError(fault));
      };
      const told = (response: SqlResponse): void => {
        if ('fault' in response) return fail(response.fault, response.last === true || 'spec' in request);
        done();
        resolve(response);
      };
      child.on('message', told).once('disconnect', gone).once('error', gone); // `disconnect` comes after the last message
      child.send(request, (error) => error === null || gone());
    });
  }
}
