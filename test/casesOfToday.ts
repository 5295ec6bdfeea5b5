const today = Math.floor(Date.now() / 86_400_000);

/** All cases with TRAWLER_LONG. Else those whose turn it is today: in so many days each of them has run. */
export function casesOfToday<T>(cases: readonly T[], days: number): readonly T[] {
  return process.env['TRAWLER_LONG'] === '1' ? cases : cases.filter((_, nth) => (nth + today) % days === 0);
}
