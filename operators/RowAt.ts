import type { PageLike } from './PageLike.ts';

/** The type of the value at a dotted path. */
export type ValueAt<T, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof T
    ? ValueAt<T[Head], Rest>
    : unknown
  : Path extends keyof T
    ? T[Path]
    : unknown;

/** The type of a row of the list at a dotted path; an open record for a list that isn't documented. */
export type RowIn<Data, Path extends string> =
  NonNullable<ValueAt<Data, Path>> extends readonly (infer Row)[] ? Row : { readonly [field: string]: unknown };

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
