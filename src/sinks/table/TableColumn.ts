import { daysOf } from '../../../operators/kit/days.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { type OriginColumn, originOf } from '../../../operators/rowOrigin.ts';
import { firstOf, nearestName } from '../../../operators/check/nearestName.ts';
import { SinkError } from '../../errors/index.ts';
import type { ColumnChoice, TableOptions } from '../TableOptions.ts';
import { ColumnFinder, type TableColumn } from './ColumnFinder.ts';

export type { TableColumn } from './ColumnFinder.ts';

/** The columns of a table whose first row is `row`: the chosen ones, or those of the row's operation. Otherwise undefined. */
export function knownColumns(options: TableOptions, row: unknown): readonly TableColumn[] | undefined {
  const origin = originOf(row);
  const documented = origin?.columns ?? [];
  if (options.columns !== undefined) {
    if (row !== undefined) for (const choice of options.columns) if (typeof choice === 'string') checkChoice(choice, options.columns, row);
    return readOften(options.columns.map((choice) => chosen(choice, documented, row)));
  }
  if (documented.length === 0) return undefined;
  return documented.map(({ path, keys, type }) => ({ header: path, keys, type }));
}

function chosen(choice: ColumnChoice, documented: readonly OriginColumn[], row: unknown): TableColumn {
  if (typeof choice === 'object' && 'value' in choice) return { header: choice.header, keys: [], value: choice.value, type: undefined };
  const own: Exclude<ColumnChoice, string | { readonly value: unknown }> = typeof choice === 'string' ? { path: choice } : choice;
  const known = documented.find((column) => column.path === own.path);
  return {
    header: own.header ?? own.path,
    keys: own.keys ?? known?.keys ?? keysOf(own.path, row),
    type: own.type ?? known?.type,
  };
}

/** `RowReader` gives each field to one column. A second column of the same field is therefore computed. */
function readOften(columns: readonly TableColumn[]): readonly TableColumn[] {
  const fields = new Set<string>();
  return columns.map((column) => {
    const field = JSON.stringify(column.keys);
    const isFirst = column.value !== undefined || !fields.has(field);
    fields.add(field);
    return isFirst ? column : { ...column, value: (row) => column.keys.reduce<unknown>(ownValue, row) };
  });
}

/** Throws for a path that neither the operation nor the first row has, and names those that there are. */
function checkChoice(path: string, choices: readonly ColumnChoice[], row: unknown): void {
  const origin = originOf(row);
  const known = origin?.columns.map((column) => column.path) ?? [];
  if (known.some((name) => name === path || name.startsWith(`${path}.`)) || isThere(row, keysOf(path, row))) return;
  const finder = new ColumnFinder();
  finder.see(row);
  const there = new Set([...known, ...finder.columns().columns.map(({ header }) => header)]);
  const others = [...there].filter(
    (name) => !choices.some((choice) => typeof choice === 'string' && (name === choice || name.startsWith(`${choice}.`))),
  );
  const nearest = nearestName(path, others);
  if (origin === undefined && nearest === undefined) return; // a field of one's own that some rows lack
  const where = origin === undefined ? 'the first row has no such field' : `neither ${origin.operation} nor its first row has that field`;
  const hint =
    nearest === undefined
      ? `there are ${firstOf(others)}; for one that may come later write { path: '${path}' }`
      : `did you mean '${nearest}'?`;
  throw new SinkError(`columns: '${path}': ${where}; ${hint}`);
}

/** The keys of a path. A key of the row that contains dots itself is one key. */
function keysOf(path: string, row: unknown): readonly string[] {
  return isThere(row, [path]) ? [path] : path.split('.');
}

function isThere(row: unknown, keys: readonly string[]): boolean {
  const holder = keys.slice(0, -1).reduce<unknown>(ownValue, row);
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, keys.at(-1)!);
}

export type ColumnKind = OriginColumn['type'];

/**
 * The type of a column: the documented one, or, if a value doesn't fit, one that fits all values. In a column of dates or
 * times, an empty text is a missing value.
 */
export class ColumnType {
  readonly #documented: ColumnKind | undefined;
  readonly #seen = new Set<ColumnKind>();

  constructor(documented: ColumnKind | undefined) {
    this.#documented = documented;
  }

  see(value: unknown): void {
    if (value === undefined || value === null || (value === '' && isMoment(this.#documented))) return;
    this.#seen.add(kindOf(value));
  }

  get kind(): ColumnKind {
    const documented = this.#documented;
    if (documented === 'json' || documented === 'string') return documented;
    if (documented !== undefined && this.#only(documented, documented === 'number' ? 'integer' : documented)) return documented;
    if (this.#seen.size === 0) return 'string';
    if (this.#only('integer', 'number')) return this.#seen.has('number') ? 'number' : 'integer';
    const [first] = this.#seen;
    return this.#seen.size === 1 ? first! : 'string';
  }

  #only(one: ColumnKind, other: ColumnKind): boolean {
    return [...this.#seen].every((kind) => kind === one || kind === other);
  }
}

/** Whether a column has dates or times, which are text in JSON. */
export function isMoment(kind: ColumnKind | undefined): boolean {
  return kind === 'timestamp' || kind === 'date';
}

function kindOf(value: unknown): ColumnKind {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'object') return 'json';
  if (typeof value !== 'string') return 'string';
  return microsOf(value) !== undefined ? 'timestamp' : daysOf(value) !== undefined ? 'date' : 'string';
}

const time = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(?:Z|([+-])(\d\d):?(\d\d))$/;

/** Microseconds since 1970 of an ISO 8601 time with its zone. undefined for anything else, also for finer fractions of a second. */
export function microsOf(text: string): bigint | undefined {
  if (text.length < 17 || text[10] !== 'T') return undefined;
  const [, day, hour, minute, second = '0', fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = time.exec(text) ?? [];
  const days = day === undefined ? undefined : daysOf(day);
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(zoneMinute) > 59) return undefined;
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1);
  const seconds = days * 86_400 + (Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second);
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}
