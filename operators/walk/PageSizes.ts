/** The sizes of a walk's pages so far. Pages without rows don't count. */
export interface PageSizes {
  /** Rows of the last page. */
  readonly last: number;
  /** The fewest rows of a page that another page followed. undefined for a first page. */
  readonly least: number | undefined;
  readonly most: number;
}

/** The sizes after one more page, of `rows` rows. */
export function withPage(sizes: PageSizes | undefined, rows: number): PageSizes | undefined {
  if (rows === 0) return sizes;
  if (sizes === undefined) return { last: rows, least: undefined, most: rows };
  return { last: rows, least: Math.min(sizes.least ?? Infinity, sizes.last), most: Math.max(sizes.most, rows) };
}
