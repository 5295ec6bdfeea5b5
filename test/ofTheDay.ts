const long = process.env['TRAWLER_LONG'] === '1';

/** So many of the cases, the next ones tomorrow; with TRAWLER_LONG all of them. */
export function ofTheDay<T>(cases: readonly T[], count: number): readonly T[] {
  if (long) return cases;
  const first = count * Math.floor(Date.now() / 86_400_000);
  return Array.from({ length: count }, (_, index) => cases[(first + index) % cases.length]!);
}
