/** The journal leaves out a count of nothing. */
export function orAbsent(count: number | undefined): number | undefined {
  return count !== undefined && count > 0 ? count : undefined;
}
