import { tableRow } from './ColumnFinder.ts';
import type { TableColumn } from './TableColumn.ts';
import type { TableOptions } from '../TableOptions.ts';

/** A key of a row. It leads to a column, to further keys, or to both. */
interface Node {
  /** The path of the keys below it, with the dot. */
  readonly prefix: string;
  column: number;
  next: Map<string, Node> | undefined;
}

/** Where a value goes. */
export interface Target {
  /** Index of its column. -1: it has none. */
  readonly column: number;
  /** The path to report if it has no column. undefined: it is inside of a value that has a column or is reported itself. */
  readonly unlisted: string | undefined;
  /** Whether fields of an object here have columns of their own. */
  readonly opens: boolean;
}

const inside: Target = { column: -1, unlisted: undefined, opens: false };

/**
 * Splits rows into the values of fixed columns, in one pass over the row. A field without a column is passed
 * to `onUnlisted`, so none is dropped silently.
 */
export class RowReader {
  readonly #root = new Map<string, Node>();
  readonly #computed: { readonly index: number; readonly value: (row: unknown) => unknown }[] = [];
  readonly #values: unknown[];
  readonly onUnlisted: (path: string, value: unknown) => void;

  constructor(columns: readonly TableColumn[], onUnlisted: (path: string, value: unknown) => void) {
    this.#values = columns.map(() => undefined);
    this.onUnlisted = onUnlisted;
    for (const [index, { keys, value }] of columns.entries()) {
      if (value !== undefined) this.#computed.push({ index, value });
      else addPath(this.#root, keys, index);
    }
  }

  /** The values in column order, undefined for a missing one. Valid until the next call. */
  read(row: unknown): readonly unknown[] {
    const fields = tableRow(row);
    this.#values.fill(undefined);
    this.#walk(fields, this.#root, '');
    for (const { index, value } of this.#computed) this.#values[index] = value(row);
    return this.#values;
  }

  /** Where `read` puts the value at these keys. */
  find(keys: readonly string[]): Target {
    let nodes: Map<string, Node> | undefined = this.#root;
    let prefix = '';
    for (const key of keys.slice(0, -1)) {
      const node: Node | undefined = nodes?.get(key);
      nodes = node?.next;
      prefix = node?.prefix ?? '';
    }
    if (nodes === undefined) return inside;
    const key = keys.at(-1)!;
    const node = nodes.get(key);
    return { column: node?.column ?? -1, unlisted: prefix + key, opens: node?.next !== undefined };
  }

  #walk(object: object, nodes: Map<string, Node>, prefix: string): void {
    const fields = object as { readonly [key: string]: unknown };
    for (const key of Object.keys(fields)) {
      const value = fields[key];
      if (value === undefined || value === null) continue;
      const node = nodes.get(key);
      if (node === undefined) {
        this.onUnlisted(prefix + key, value);
        continue;
      }
      if (node.column >= 0) this.#values[node.column] = value;
      if (node.next === undefined) continue;
      if (typeof value === 'object' && !Array.isArray(value)) this.#walk(value, node.next, node.prefix);
      else if (node.column < 0) this.onUnlisted(prefix + key, value);
    }
  }
}

function addPath(root: Map<string, Node>, keys: readonly string[], column: number): void {
  let nodes = root;
  for (const [depth, key] of keys.entries()) {
    const node = nodes.get(key) ?? { prefix: `${keys.slice(0, depth + 1).join('.')}.`, column: -1, next: undefined };
    nodes.set(key, node);
    if (depth === keys.length - 1) node.column = column;
    else nodes = node.next ??= new Map();
  }
}

const maxPaths = 1000;

/** Keeps fields without a column: in the `_extra` column, or as counts for the report. */
export class Unlisted {
  readonly #counts = new Map<string, number>();
  readonly #extra: boolean;
  readonly #onUnlisted: ((path: string) => void) | undefined;
  #row = new Map<string, unknown>();

  constructor(options: TableOptions) {
    this.#extra = options.extra ?? false;
    this.#onUnlisted = options.onUnlisted;
  }

  add(path: string, value: unknown): void {
    if (this.#extra) {
      let name = path;
      for (let count = 2; this.#row.has(name); count += 1) name = `${path}_${count}`; // a key with dots may look like another path
      this.#row.set(name, value);
      return;
    }
    const before = this.#counts.get(path);
    const name = before === undefined && this.#counts.size >= maxPaths ? '…' : path; // keys may be ids, without end
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (before === undefined && name === path) this.#onUnlisted?.(path);
  }

  /** The content of `_extra` for the last row read. undefined if there is none. */
  takeExtra(): object | undefined {
    if (this.#row.size === 0) return undefined;
    const fields: object = Object.fromEntries(this.#row);
    this.#row.clear();
    return fields;
  }

  /** undefined if every field had a column. */
  get counts(): { readonly [path: string]: number } | undefined {
    return this.#counts.size === 0 ? undefined : Object.fromEntries(this.#counts);
  }
}
