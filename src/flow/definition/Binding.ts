/** A value of a query, compiled: a constant, a field of the row, or text with fields in it. */
export type Binding =
  | { readonly kind: 'constant'; readonly value: string | number | boolean }
  /** `keys` with `'[]'` for "each element of this list". */
  | { readonly kind: 'field'; readonly path: string; readonly keys: readonly string[] }
  | { readonly kind: 'text'; readonly parts: readonly (string | { readonly path: string; readonly keys: readonly string[] })[] };
