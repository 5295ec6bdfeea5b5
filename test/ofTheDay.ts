const today = Math.floor(Date.now() / 86_400_000);

/**
 * So many of the cases, the next ones tomorrow; with TRAWLER_LONG all of them. Tests that have the same cases take others of them on the
 * same day if each has a `turn` of its own.
 */
export function ofTheDay<T>(cases: readonly T[], count: number, turn: number = 0): readonly T[] {
  if (process.env['TRAWLER_LONG'] === '1') return cases;
  const first = count * (today + turn);
  return Array.from({ length: Math.min(count, cases.length) }, (_, index) => cases[(first + index) % cases.length]!);
}
