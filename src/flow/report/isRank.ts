/** Whether less is better in a column. */
export function isRank(column: string): boolean {
  return /(^|[._])(rank|position)$/.test(column);
}
