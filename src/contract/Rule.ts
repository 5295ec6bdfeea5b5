/** A rule between parameters, as data. Each kind is one entry of `checkQuery/rules.ts`. */
export type Rule =
  /** `list` has as many comma-separated values as `count` says, or its default. */
  | { readonly kind: 'countOf'; readonly list: string; readonly count: string }
  /** `later` is a later day than `earlier`. With `same: true` it may be the same day. */
  | { readonly kind: 'later'; readonly earlier: string; readonly later: string; readonly same?: true }
  /** `high` is at least `low`. Both are numbers as text. */
  | { readonly kind: 'atLeast'; readonly low: string; readonly high: string }
  /** If `param` has the value `is` (without `is`: any value), `needs` is required. */
  | { readonly kind: 'needs'; readonly param: string; readonly is?: string | boolean; readonly needs: string };
