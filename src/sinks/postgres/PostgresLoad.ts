import { isDay } from '../../../operators/kit/days.ts';
import { SinkError } from '../../errors/index.ts';
import { messageOf } from '../../errors/TrawlerError.ts';
import type { DestinationTable, LoadResult, OpenDestination, LoadPosition, Rejected } from '../destination/RowDestination.ts';
import { valueReader } from '../table/TextRepair.ts';
import { type PostgresAddress, PostgresConnection } from './PostgresConnection.ts';
import { troubleOf } from './troubleOf.ts';
import {
  shortName,
  addSql,
  type CopySql,
  createPostgresTable,
  mergeSql,
  postgresTable,
  type PostgresTable,
  removeSql,
  checkTable,
  prepareTable,
} from './postgresTable.ts';
import { microsOf, type ColumnKind } from '../table/TableColumn.ts';
import { csvCell } from '../table/csvCells.ts';

/** Loads rows into a table of PostgreSQL. It connects on `recover`, and can be closed at any moment. */
export class PostgresLoad implements OpenDestination {
  readonly #connection: PostgresConnection;
  readonly #target: DestinationTable;
  readonly #table: PostgresTable;
  readonly #columns: readonly CopiedColumn[];
  readonly #read: (line: string) => readonly unknown[];
  /** The key of this run's row in the table of loads. */
  readonly #own: readonly string[];
  #position: LoadPosition | undefined;
  /** Whether all rows so far were new to the table. Then they are added without merging, which takes half the time. */
  #areNew = true;

  constructor(address: PostgresAddress, target: DestinationTable) {
    this.#own = [target.run, target.stage, target.name];
    this.#connection = new PostgresConnection(address, shortName(`trawler ${this.#own.join(' ')}`));
    this.#target = target;
    this.#table = postgresTable(target);
    this.#columns = this.#table.columns.map(({ name, plain, kind }) => ({ plain, kind, isKey: this.#table.key.includes(name) }));
    this.#read = valueReader(target.columns);
  }

  /** Rejects if the table can't take the rows. Changes nothing. */
  check(): Promise<void> {
    return this.#try(async () => {
      await this.#connection.open();
      await this.#connection.begin();
      await checkTable(this.#connection, this.#table);
      await this.#connection.rollBack();
    });
  }

  recover(): Promise<LoadPosition | undefined> {
    return this.#try(async () => {
      const { flow, file } = this.#target;
      await this.#connection.open();
      await this.#connection.endOthers();
      await this.#connection.begin();
      await prepareTable(this.#connection, this.#table);
      await this.#connection.commit();
      await this.#connection.begin();
      await this.#query(
        `INSERT INTO ${this.#table.loads} (run, stage, "table", flow, file, position, digest) VALUES ($1, $2, $3, $4, $5, 0, '') ON ` +
          `CONFLICT DO NOTHING`,
        [...this.#own, flow, file],
      );
      this.#position = await this.#lockPosition(); // waits for a commit that is still under way
      await this.#connection.commit();
      return this.#position;
    });
  }

  async restart(): Promise<void> {
    const { mode, name, key } = this.#target;
    if (mode === 'merge' && key.length === 0)
      throw new SinkError(
        `postgres:${name}: the table has rows of this run that the run doesn't have on disk. It has no key, so they would be there ` +
          `twice. Empty the table, and start over with fresh`,
      );
    await this.#try(async () => {
      await this.#connection.begin();
      await this.#lockPosition();
      if (mode === 'replace') await this.#query(`DROP TABLE ${this.#table.into}; ${createPostgresTable(this.#table, this.#table.into)}`);
      await this.#moveTo(undefined);
    });
  }

  async load(lines: readonly string[]): Promise<LoadResult> {
    return this.#try(async () => {
      if (this.#table.key.length === 0) return this.#loadWith(addSql(this.#table), lines, isAboutRow);
      if (this.#areNew) {
        const result = await this.#loadWith(addSql(this.#table), lines, isNotTemporary);
        if ('rejected' in result) return result;
        this.#areNew = false;
      }
      return this.#loadWith(mergeSql(this.#table), lines, isAboutRow);
    });
  }

  /** Loads rows. An error for which `isRefusal` is true means that the database refuses them. */
  async #loadWith({ before, copy, after }: CopySql, lines: readonly string[], isRefusal: (error: unknown) => boolean): Promise<LoadResult> {
    const rejected: Rejected[] = [];
    try {
      await this.#begin(before);
      await this.#connection.copy(copy, this.#textOf(lines, rejected));
      if (after !== '') await this.#query(after);
      await this.#query('SET CONSTRAINTS ALL IMMEDIATE'); // a row that breaks one shows here, not in the commit
      return { rejected };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await this.#connection.rollBack();
      return { refused: messageOf(error) };
    }
  }

  async commit(to: LoadPosition): Promise<void> {
    await this.#try(() => this.#moveTo(to));
  }

  async remove(lines: readonly string[]): Promise<void> {
    const { before, copy, after } = removeSql(this.#table);
    await this.#try(async () => {
      await this.#begin(before);
      await this.#connection.copy(copy, this.#keysOf(lines));
      await this.#query(after);
      await this.#connection.commit();
    });
  }

  /** Replaces the old table by the new one. */
  async finish(): Promise<void> {
    const { name, into, loads } = this.#table;
    if (this.#target.mode === 'merge') return;
    await this.#try(async () => {
      await this.#connection.begin();
      await this.#lockPosition();
      const { rows } = await this.#query(`SELECT finished FROM ${loads} WHERE ${mine}`, this.#own);
      const isDone = rows[0]?.['finished'] === true;
      const change = isDone
        ? `DROP TABLE ${into}`
        : `DROP TABLE IF EXISTS ${name}; ALTER TABLE ${into} RENAME TO ${name.split('.').at(-1)!}`;
      await this.#query(change);
      await this.#query(`UPDATE ${loads} SET finished = true WHERE ${mine}`, this.#own);
      await this.#connection.commit();
    });
  }

  close(): Promise<void> {
    this.#connection.close();
    return Promise.resolve();
  }

  /** Begins a transaction. Waits for another session of this run that is still loading, and throws if it has loaded rows. */
  async #begin(before: string): Promise<void> {
    await this.#connection.begin();
    const now = await this.#lockPosition();
    if (now?.bytes !== this.#position?.bytes || now?.digest !== this.#position?.digest)
      throw Object.assign(new Error('another session of this run has loaded rows'), { code: '40001' });
    if (before !== '') await this.#query(before);
  }

  /** The position of this run. It is locked until the transaction ends. */
  async #lockPosition(): Promise<LoadPosition | undefined> {
    const position = `SELECT position, digest, finished FROM ${this.#table.loads} WHERE ${mine} FOR UPDATE`;
    const [row] = (await this.#query(position, this.#own)).rows;
    const isOver = this.#target.mode === 'replace' && row?.['finished'] === true; // the old table is replaced: more rows need a new one
    return row === undefined || isOver || row['digest'] === ''
      ? undefined
      : { bytes: Number(row['position']), digest: String(row['digest']) };
  }

  /** Stores the position of this run, and commits. */
  async #moveTo(position: LoadPosition | undefined): Promise<void> {
    const set = 'position = $4, digest = $5, file = $6, finished = false, loaded_at = now()';
    const values = [...this.#own, position?.bytes ?? 0, position?.digest ?? '', this.#target.file];
    await this.#query(`UPDATE ${this.#table.loads} SET ${set} WHERE ${mine}`, values);
    await this.#connection.commit();
    this.#position = position;
  }

  *#textOf(lines: readonly string[], rejected: Rejected[]): Generator<string, void, undefined> {
    for (let line = 0; line < lines.length; line += 1) {
      const text = copyText(this.#columns, this.#read(lines[line]!));
      if (text instanceof UnfitValue) rejected.push({ line, reason: text.reason });
      else yield text;
    }
  }

  *#keysOf(lines: readonly string[]): Generator<string, void, undefined> {
    const columns = this.#columns.filter(({ isKey }) => isKey);
    for (const line of lines) {
      const values = this.#read(line).filter((_, nth) => this.#columns[nth]!.isKey);
      const text = copyText(columns, values);
      if (!(text instanceof UnfitValue)) yield text; // a row with such a key was never loaded
    }
  }

  #query(sql: string, values?: readonly unknown[]): ReturnType<PostgresConnection['query']> {
    return this.#connection.query(sql, values);
  }

  #try<T>(work: () => Promise<T>): Promise<T> {
    return this.#connection.attempt(this.#target.name, work);
  }
}

const mine = 'run = $1 AND stage = $2 AND "table" = $3';

function isAboutRow(error: unknown): boolean {
  return troubleOf(error) === 'row';
}

function isNotTemporary(error: unknown): boolean {
  return troubleOf(error) !== 'temporary';
}

/** A value that a column can't hold, and why. */
class UnfitValue {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

const special = /[\\\t\n\r\0\uD800-\uDFFF]/;
const escapes: { readonly [character: string]: string } = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A text for `COPY`, in its text format. */
function plain(text: string): string | UnfitValue {
  if (!special.test(text)) return text;
  if (text.includes('\0')) return new UnfitValue('a text with a NUL');
  if (/\p{Surrogate}/u.test(text)) return new UnfitValue('a text with half a character (a surrogate without its pair)');
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character]!);
}

/** The escape that `JSON.stringify` writes for a NUL, or for a surrogate without its pair. */
const unfitEscape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

function json(value: unknown): string | UnfitValue {
  const text = JSON.stringify(value);
  if (!text.includes('\\')) return text;
  if (unfitEscape.test(text)) return new UnfitValue('a text with a NUL or half a character');
  return text.replaceAll('\\', '\\\\');
}

const [leastWhole, greatestWhole] = [-(2n ** 63n), 2n ** 63n - 1n];

function isWhole(value: unknown): boolean {
  if (Number.isSafeInteger(value)) return true;
  // whole numbers that JavaScript would round are kept as text
  if (typeof value === 'number' ? !Number.isInteger(value) : typeof value !== 'string' || !/^-?\d{15,19}$/.test(value)) return false;
  const whole = BigInt(value as number | string);
  return whole >= leastWhole && whole <= greatestWhole;
}

/** Writes a value of each kind, or says why it isn't one. */
const cells: { readonly [kind in ColumnKind]: (value: unknown) => string | UnfitValue } = {
  string: (value) => plain(csvCell(value)),
  integer: (value) => (isWhole(value) ? csvCell(value) : misfit(value, 'a whole number of 64 bits')),
  number: (value) => (typeof value === 'number' && Number.isFinite(value) ? csvCell(value) : misfit(value, 'a number')),
  boolean: (value) => (typeof value === 'boolean' ? csvCell(value) : misfit(value, 'true or false')),
  timestamp: (value) => moment(value, isTime, 'a time with its zone'),
  date: (value) => moment(value, isDay, 'a date'),
  json,
};

/** Matches nearly all times, quickly. It takes no day after the 28th, so it needn't know the lengths of months. */
const plainTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z$/;
const isTime = (text: string): boolean => plainTime.test(text) || microsOf(text) !== undefined;

const absent = '\\N';

/** In a column of times or dates, an empty text is a missing value. */
function moment(value: unknown, fits: (text: string) => boolean, what: string): string | UnfitValue {
  if (value === '') return absent;
  return typeof value === 'string' && fits(value) ? value : misfit(value, what);
}

function misfit(value: unknown, what: string): UnfitValue {
  const shown = JSON.stringify(value) ?? String(value);
  return new UnfitValue(`${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown} isn't ${what}`);
}

interface CopiedColumn {
  /** For messages. */
  readonly plain: string;
  readonly kind: ColumnKind;
  /** Part of the key, so it must not be null. */
  readonly isKey: boolean;
}

/** A row as a line for `COPY`. */
function copyText(columns: readonly CopiedColumn[], values: readonly unknown[]): string | UnfitValue {
  let line = '';
  for (let nth = 0; nth < columns.length; nth += 1) {
    const column = columns[nth]!;
    const value = values[nth];
    const cell = value === undefined || value === null ? absent : cells[column.kind](value);
    if (cell instanceof UnfitValue) return new UnfitValue(`${column.plain}: ${cell.reason}`);
    if (column.isKey && cell === absent) return new UnfitValue(`${column.plain}: it is null, and a key can't be`);
    line += nth === 0 ? cell : `\t${cell}`;
  }
  return `${line}\n`;
}
