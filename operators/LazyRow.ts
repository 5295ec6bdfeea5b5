import { quickDigest } from './kit/quickDigest.ts';
import { OwnOrigin, setOrigin } from './rowOrigin.ts';

/** The keys that lead to a value. */
export type ValuePath = readonly string[];

/** Whether rows may stay unparsed. A list: they may, and only these fields will be read one by one. */
export type Lazy = boolean | readonly string[];

/** The offsets of the values of a row in the body of its page. */
export interface ValueOffsets {
  readonly page: {
    /** The bytes that hold them. */
    readonly body: Buffer;
    /** Three numbers for each value outside lists: its path, where it begins and where it ends. */
    readonly offsets: Int32Array;
    readonly paths: readonly ValuePath[];
  };
  /** The row's part of the body. */
  readonly start: number;
  readonly end: number;
  /** The row's part of `offsets`. */
  readonly from: number;
  readonly to: number;
}

/** A row as unparsed bytes, the same bytes that `JSON.stringify` would write. */
export abstract class LazyRow extends OwnOrigin {
  abstract readonly bytes: Uint8Array;
  /** The row as an object. */
  parse(): object {
    const { buffer, byteOffset, length } = this.bytes;
    return JSON.parse(Buffer.from(buffer, byteOffset, length).toString()) as object;
  }
  /** One of the row's own fields, or undefined if it has none of that name. */
  field(name: string): unknown {
    const text = this.text(name);
    return text === undefined ? undefined : JSON.parse(text);
  }
  /** The JSON text of one of the row's own fields. */
  text(name: string): string | undefined {
    const row = this.parse();
    return Object.hasOwn(row, name) ? JSON.stringify((row as { readonly [field: string]: unknown })[name]) : undefined;
  }
  /** A digest of this text. undefined if the row has no such field, or it is null or ''. */
  digest(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined || text === 'null' || text === '""' ? undefined : quickDigest(Buffer.from(text));
  }
  /** Whether a field is filled (`isFilled`). */
  fills(name: string): boolean {
    return !/^(?:null|""|\[\s*\]|\{\s*\})$/.test(this.text(name) ?? 'null');
  }
  /** The offsets of its values, if known. */
  get values(): ValueOffsets | undefined {
    return undefined;
  }
  /** Columns of its parent, which come before the values. */
  get kept(): object | undefined {
    return undefined;
  }
}

/** A row as an object, with the same origin. */
export function wholeRow<Row>(row: Row): Row | object {
  if (!(row instanceof LazyRow)) return row;
  const whole = row.parse();
  if (row.origin !== undefined) setOrigin(whole, row.origin);
  return whole;
}

interface KeptColumns {
  readonly [column: string]: unknown;
}

/** The row with kept columns in front. It must not have a field of the same name. It stays bytes. */
export function keepLazily(row: LazyRow, kept: KeptColumns | undefined): LazyRow {
  return kept === undefined || Object.keys(kept).length === 0 ? row : new KeptRow(row, kept);
}

/** Whether a row has this field. */
export function hasField(row: object, name: string): boolean {
  return row instanceof LazyRow ? row.text(name) !== undefined : Object.hasOwn(row, name);
}

/** A lazy row with columns of its parent. */
class KeptRow extends LazyRow {
  readonly #row: LazyRow;
  readonly #kept: KeptColumns;

  constructor(row: LazyRow, kept: KeptColumns) {
    super();
    this.#row = row;
    this.#kept = kept;
  }

  override get kept(): KeptColumns {
    return this.#kept;
  }

  override get values(): ValueOffsets | undefined {
    return this.#row.values;
  }

  get bytes(): Buffer {
    const own = this.#row.bytes;
    const head = JSON.stringify(this.#kept).slice(0, -1);
    const between = own.length === 2 || head.length === 1 ? '' : ',';
    return Buffer.concat([Buffer.from(head + between), own.subarray(1)]);
  }

  override parse(): object {
    return { ...this.#kept, ...this.#row.parse() };
  }

  override text(name: string): string | undefined {
    return Object.hasOwn(this.#kept, name) ? JSON.stringify(this.#kept[name]) : this.#row.text(name);
  }

  override digest(name: string): number | undefined {
    return Object.hasOwn(this.#kept, name) ? super.digest(name) : this.#row.digest(name);
  }

  override fills(name: string): boolean {
    return Object.hasOwn(this.#kept, name) ? super.fills(name) : this.#row.fills(name);
  }
}
