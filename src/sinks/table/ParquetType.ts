import { csvCell } from './csvCell.ts';
import { jsonText } from './jsonText.ts';
import type { TableColumn } from './TableColumn.ts';

type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'json';

/** The type of a Parquet column: as documented, unless a value came that doesn't fit; then one that fits them all. */
export class ParquetType {
  readonly #documented: Kind | undefined;
  readonly #seen = new Set<Kind>();

  constructor(column: TableColumn) {
    this.#documented = column.type;
  }

  see(value: unknown): void {
    if (value !== undefined && value !== null) this.#seen.add(kindOf(value));
  }

  get kind(): Kind {
    const documented = this.#documented;
    if (documented === 'json' || documented === 'string') return documented;
    if (documented !== undefined && this.#only(documented, documented === 'number' ? 'integer' : documented)) return documented;
    if (this.#seen.size === 0) return 'string';
    if (this.#only('boolean', 'boolean')) return 'boolean';
    if (this.#only('integer', 'integer')) return 'integer';
    if (this.#only('number', 'integer')) return 'number';
    return this.#only('json', 'json') ? 'json' : 'string';
  }

  #only(one: Kind, other: Kind): boolean {
    return [...this.#seen].every((kind) => kind === one || kind === other);
  }
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'object' ? 'json' : 'string';
}

/** A value as hyparquet-writer takes it for a column of that kind. */
export function parquetValue(value: unknown, kind: Kind): string | number | bigint | boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (kind === 'json') return jsonText(value);
  if (typeof value === 'number') return kind === 'integer' ? BigInt(value) : kind === 'number' ? value : csvCell(value);
  return kind === 'boolean' && typeof value === 'boolean' ? value : csvCell(value);
}
