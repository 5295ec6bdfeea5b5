import type { OriginColumn } from '../../../operators/rowOrigin.ts';

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

/** Dates and times are text in JSON. */
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

const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const time = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(?:Z|([+-])(\d\d):?(\d\d))$/;

/** Days since 1970 of `YYYY-MM-DD`; undefined for what is no such date. */
export function daysOf(text: string): number | undefined {
  const [, year, month, day] = date.exec(text) ?? [];
  if (year === undefined) return undefined;
  const at = new Date(0);
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day) ? at.getTime() / 86_400_000 : undefined;
}

/** Microseconds since 1970 of an ISO 8601 time with its zone; undefined for anything else, finer fractions included. */
export function microsOf(text: string): bigint | undefined {
  if (text.length < 17 || text[10] !== 'T') return undefined;
  const [, day, hour, minute, second = '0', fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = time.exec(text) ?? [];
  const days = day === undefined ? undefined : daysOf(day);
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(zoneMinute) > 59) return undefined;
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1);
  const seconds = days * 86_400 + (Number(hour) * 60 + Number(minute) - offset) * 60 + Number(second);
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}
