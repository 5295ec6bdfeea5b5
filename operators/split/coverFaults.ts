import type { Spotted } from './learnSight.ts';
import type { AreaSpec } from './Splits.ts';

/** Why a tile is left although it holds more than was found, and what to do about it. */
export const leftAdvice = {
  zoom: 'it is full at the highest zoom: search for narrower words, or raise zoom',
  elsewhere: 'its rows lie elsewhere: take place names out of the words',
  crowded: 'narrower searches return the same rows: search for narrower words',
  unsteady: 'searches of the same place return different rows: cover it again later',
} as const;

export type LeftBecause = keyof typeof leftAdvice;

/** What to say where an area has no rows at all. */
export const emptyArea = 'no row lies in the area. Longitude comes first: are the two swapped?';

/** Why an area can't be covered at all. */
export const coverFaults = {
  elsewhere: ({ param, words }: AreaSpec) =>
    `the search doesn't heed its view (${param}): it returns rows from elsewhere. Take place names out of ${words}, or search ` +
    `without an area`,
  unsteady: ({ param }: AreaSpec) => `searches of the same place (${param}) return different rows each time, so an area can't be covered`,
  unplaced: ({ latitude, longitude }: AreaSpec) =>
    `most rows of a full search have no position (${latitude}, ${longitude}), so an area can't be covered`,
  alike: (_: AreaSpec, id: string | undefined) => `most rows of a full search have the same ${id ?? 'values'}, so they can't be told apart`,
} as const;

export type Unfit = keyof typeof coverFaults;

/** Why the rows of a full search can't guide the next ones. `count`: of all of them, also of those without a position. */
export function unfitOf(rows: readonly Spotted[], count: number): Unfit | undefined {
  if (rows.length < count / 2) return 'unplaced';
  return new Set(rows.map(({ id }) => id)).size < rows.length / 2 ? 'alike' : undefined;
}
