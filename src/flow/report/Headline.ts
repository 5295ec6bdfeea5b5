/** What a flow's `headline` came to: the answer to whoever asked. */
export type Headline = HeadlineTable | HeadlineSeries | ({ readonly kind: 'map' } & RowMap);

/** Rows on a map, coloured and labelled by a column. */
export interface RowMap {
  readonly title: string;
  /** The column. */
  readonly by: string;
  /** null: nothing was found there. */
  readonly points: readonly { readonly latitude: number; readonly longitude: number; readonly value: string | null }[];
}

export interface HeadlineTable {
  readonly kind: 'table';
  readonly title: string;
  readonly columns: readonly string[];
  /** How many of the columns, from the last one on, are figures. */
  readonly figures: number;
  readonly rows: readonly (readonly string[])[];
  /** Lines that aren't shown. */
  readonly more: number;
}

export interface HeadlineSeries {
  readonly kind: 'series';
  readonly title: string;
  /** What the lines go over, in its order. */
  readonly over: readonly string[];
  /** A value for each of it. null: there is none. */
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly more: number;
}
