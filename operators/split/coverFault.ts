import type { LeftBecause, Unfit } from './AreaPlan.ts';
import type { AreaSpec } from './spotsOf.ts';

/** Why a tile holds more than was found, and what to do about it. */
export const leftAdvice: { readonly [because in LeftBecause]: string } = {
  zoom: 'it is full at the highest zoom: search for narrower words, or raise zoom',
  elsewhere: 'its rows lie elsewhere: take place names out of the words',
  crowded: 'narrower searches return the same rows: search for narrower words',
  unsteady: 'searches of the same place return different rows: cover it again later',
};

/** What to say where an area has no rows at all. */
export const emptyArea = 'no row lies in the area. Longitude comes first: are the two swapped?';

const faults: { readonly [unfit in Unfit]: (spec: AreaSpec, id: string | undefined) => string } = {
  elsewhere: ({ param, words }) =>
    `the search doesn't heed its view (${param}): it returns rows from elsewhere. Take place names out of ${words}, or search without an area`,
  unplaced: ({ latitude, longitude }) =>
    `most rows of a full search have no position (${latitude}, ${longitude}), so an area can't be covered`,
  alike: (_, id) => `most rows of a full search have the same ${id ?? 'values'}, so they can't be told apart`,
};

/** What to say where an area can't be covered. */
export function coverFault(unfit: Unfit, spec: AreaSpec, id: string | undefined): string {
  return faults[unfit](spec, id);
}
