/** A rule between parameters, as data; each kind is one entry of `checkQuery/rules.ts`. */
export type Rule =
  /** `list` holds as many comma-separated values as `count` says (its default when not given). */
  | { readonly kind: 'countOf'; readonly list: string; readonly count: string }
  /** `later` is a later day than `earlier`; with `same: true` the same day will do. */
  | { readonly kind: 'later'; readonly earlier: string; readonly later: string; readonly same?: true }
  /** `high` is at least `low`, both numbers as text. */
  | { readonly kind: 'atLeast'; readonly low: string; readonly high: string }
  /** When `param` has the value `is` (any value, without `is`), `needs` must be given. */
  | { readonly kind: 'needs'; readonly param: string; readonly is?: string | boolean; readonly needs: string };
