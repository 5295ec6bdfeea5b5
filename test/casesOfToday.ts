const today = Math.floor(Date.now() / 86_400_000);

/** All cases with TRAWLER_LONG. Else those whose turn it is today: within so many days each of them runs. */
export function casesOfToday<T>(cases: readonly T[], days: number, turnOf = (nth: number): number => nth): readonly T[] {
  return process.env['TRAWLER_LONG'] === '1' ? cases : cases.filter((_, nth) => (turnOf(nth) + today) % days === 0);
}
