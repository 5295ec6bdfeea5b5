/** A field of a row: its dotted path, and the path as keys, with `'[]'` for each element of a list. */
export interface FieldPath {
  readonly path: string;
  readonly keys: readonly string[];
}

/** A value of a query, compiled: a constant, a field of the row, or text with fields in it. */
export type Binding =
  | { readonly kind: 'constant'; readonly value: string | number | boolean }
  | ({ readonly kind: 'field' } & FieldPath)
  | { readonly kind: 'text'; readonly parts: readonly (string | FieldPath)[] };
