import type { OriginColumn } from '../../../operators/rowOrigin.ts';
import { SinkError } from '../../errors/index.ts';

/** A column of a table, read by its keys or computed by `value`. */
export interface TableColumn {
  readonly header: string;
  readonly keys: readonly string[];
  readonly value?: ((row: unknown) => unknown) | undefined;
  /** The documented type, if any. */
  readonly type: OriginColumn['type'] | undefined;
}

const maxRows = 1000;
const maxText = 1024 * 1024;
const maxColumns = 1000;

interface Field {
  /** Some row had a value here that isn't an object. */
  plain: boolean;
  fields: Fields | undefined;
}
type Fields = Map<string, Field>;

/**
 * Finds the columns of undocumented rows: their fields in order of appearance. The fields of a nested object become columns side by
 * side. A field that is an object in one row and something else in another is one column.
 */
export class ColumnFinder {
  readonly #fields: Fields = new Map();
  #rows = 0;
  #text = 0;

  /** Whether enough rows were seen. */
  get full(): boolean {
    return this.#rows >= maxRows || this.#text >= maxText;
  }

  see(row: unknown): void {
    this.#rows += 1;
    this.#walk(tableRow(row), this.#fields);
  }

  /** `complete` is false if a field got no column: its path is taken, or there are too many. */
  columns(): { readonly columns: readonly TableColumn[]; readonly complete: boolean } {
    const found = new Map<string, TableColumn>();
    let complete = true;
    const list = (fields: Fields, above: readonly string[]): void => {
      for (const [name, field] of fields) {
        const keys = [...above, name];
        const header = keys.join('.');
        if (!field.plain && field.fields !== undefined) list(field.fields, keys);
        else if (found.has(header) || found.size >= maxColumns) complete = false;
        else found.set(header, { header, keys, type: undefined });
      }
    };
    list(this.#fields, []);
    return { columns: [...found.values()], complete };
  }

  #walk(row: object, fields: Fields): void {
    for (const [name, value] of Object.entries(row) as [string, unknown][]) {
      if (value === undefined) continue;
      let field = fields.get(name);
      if (field === undefined) fields.set(name, (field = { plain: false, fields: undefined }));
      this.#text += name.length + (typeof value === 'string' ? value.length : 8);
      if (value === null) continue;
      if (typeof value !== 'object' || Array.isArray(value)) field.plain = true;
      else if (Object.keys(value).length > 0) this.#walk(value, (field.fields ??= new Map()));
    }
  }
}

/** A row for a table. Throws a SinkError for anything but an object. */
export function tableRow(row: unknown): object {
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return row;
  const what = Array.isArray(row) ? 'a list' : row === null ? 'null' : typeof row;
  throw new SinkError(`a row is ${what}; a table needs rows that are objects`);
}
