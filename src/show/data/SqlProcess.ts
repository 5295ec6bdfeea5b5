import { fork, type ChildProcess } from 'node:child_process';
import { totalmem } from 'node:os';
import type { SqlRows } from '../api.ts';
import { builtFile } from '../builtFile.ts';
import type { TableSpec } from './TableSpec.ts';

/** Which part of a query's result is wanted. */
export interface SqlPart {
  /** The rows before are left out. @default 0 */
  readonly offset?: number | undefined;
  /** Longer cells are cut, and say how long they were. @default they are whole */
  readonly maxCell?: number | undefined;
  /** How long the query may take. @default 20 seconds */
  readonly ms?: number | undefined;
}

/** What the process is told: which table it opens, then one query after the other. */
export type SqlOrder = { readonly spec: TableSpec; readonly maxBytes: number } | ({ readonly sql: string } & Omit<SqlPart, 'ms'>);

/** What it says: that the table is open, the rows, or why there are none. `last`: it ends itself. */
export type SqlAnswer = { readonly open: true } | { readonly rows: SqlRows } | { readonly fault: string; readonly last?: true };

const [maxOpenMs, maxSqlMs, idleMs] = [600_000, 20_000, 60_000];
/** Half of the memory of this machine, or of what this process may take, and no more than 4 GiB. */
const mostBytes = Math.min(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2, 2 ** 32);

/**
 * SQL of somebody over one table, in a process of its own, which is killed when a query takes too long or too much memory: DuckDB looks at
 * neither inside of one function. It begins with the first query, and ends when there was none for a minute.
 */
export class SqlProcess {
  readonly #spec: TableSpec;
  readonly #maxBytes: number;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** One query after the other. */
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
      const answer = await this.#ask(child, { sql, ...part }, ms, `The query took longer than ${ms / 1000} seconds`);
      this.#idle = setTimeout(() => this.close(), idleMs).unref();
      return (answer as { readonly rows: SqlRows }).rows;
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
    const order = { spec: this.#spec, maxBytes: this.#maxBytes };
    await this.#ask(child, order, maxOpenMs, `Reading ${this.#spec.info.file} took longer than ${maxOpenMs / 60_000} minutes`);
    return child;
  }

  #ask(child: ChildProcess, order: SqlOrder, ms: number, tooLong: string): Promise<SqlAnswer> {
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
      const told = (answer: SqlAnswer): void => {
        if ('fault' in answer) return fail(answer.fault, answer.last === true || 'spec' in order);
        done();
        resolve(answer);
      };
      child.on('message', told).once('disconnect', gone).once('error', gone); // it comes after the last message
      child.send(order, (error) => error === null || gone());
    });
  }
}
