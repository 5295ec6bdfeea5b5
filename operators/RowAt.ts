import type { PageLike } from './PageLike.ts';

/** The type of the value at a dotted path. */
export type ValueAt<T, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof T
    ? ValueAt<T[Head], Rest>
    : ValueAt<EntryAt<T, Head>, Rest>
  : Path extends keyof T
    ? T[Path]
    : EntryAt<T, Path>;
/** An entry of a list, for a path with its index. */
type EntryAt<T, Key> = Key extends `${number}` ? (T extends readonly (infer Entry)[] ? Entry : unknown) : unknown;

/** The type of an entry of a list as a row. What isn't an object becomes the column `value`. */
export type AsRow<Entry> = unknown extends Entry
  ? Entry
  : [Entry] extends [readonly unknown[] | string | number | boolean | null | undefined]
    ? { readonly value: Entry }
    : Entry;

/** The type of a row of the list at a path, such as `orders[].lines`; an open record for a list that isn't documented. */
export type RowIn<Data, Path extends string> = Path extends `${infer Outer}[].${infer Inner}`
  ? InEach<NonNullable<In<Data, Outer>>, Inner>
  : ListIn<NonNullable<In<Data, Path>>> extends readonly (infer Entry)[]
    ? AsRow<Entry>
    : Open;
/** The list, if the value may also be one object instead of a list. */
type ListIn<Value> = [Extract<Value, readonly unknown[]>] extends [never] ? Value : Extract<Value, readonly unknown[]>;
type In<Data, Path extends string> = Path extends '' ? Data : ValueAt<Data, Path>;
type Open = { readonly [field: string]: unknown };
/** What each entry of a list has at a path, or the entries of the list that it has there. Open for deeper lists. */
type InEach<List, Inner extends string> = List extends readonly (infer Entry)[]
  ? Inner extends `${string}[]${string}`
    ? Open
    : NonNullable<ValueAt<Entry, Inner>> extends infer Value
      ? Value extends readonly (infer Each)[]
        ? AsRow<Each>
        : AsRow<Value>
      : never
  : Open;

/** A page with the rows of another of its lists. */
export type PageWithRows<Page extends PageLike, Path extends string> = {
  [K in keyof Page]: K extends 'items' ? readonly RowIn<Page['data'], Path>[] : Page[K];
};

/** The dotted paths in a row, three fields deep. Any string if its fields aren't known. */
export type PathIn<Row, Depth extends readonly unknown[] = [1, 1]> = Row extends
  | readonly unknown[]
  | string
  | number
  | boolean
  | null
  | undefined
  ? never
  : string extends keyof Row
    ? string
    : {
        [K in keyof Row & string]: Depth extends readonly [unknown, ...infer Rest] ? K | `${K}.${PathIn<NonNullable<Row[K]>, Rest>}` : K;
      }[keyof Row & string];
