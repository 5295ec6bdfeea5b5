import { stretchAt } from './Area.ts';
import { liesElsewhere } from './learnView.ts';
import type { Sight, Spotted, View } from './estimateView.ts';
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
const faults = {
  elsewhere: ({ param, words }: AreaSpec) =>
    `the search doesn't heed its view (${param}): it returns rows from elsewhere. Take place names out of ${words}, or search without an area`,
  unsteady: ({ param }: AreaSpec) => `searches of the same place (${param}) return different rows each time, so an area can't be covered`,
  unplaced: ({ latitude, longitude }: AreaSpec) =>
    `most rows of a full search have no position (${latitude}, ${longitude}), so an area can't be covered`,
  alike: (_: AreaSpec, id: string | undefined) => `most rows of a full search have the same ${id ?? 'values'}, so they can't be told apart`,
} as const;

export type Unfit = keyof typeof faults;

export function coverFault(unfit: Unfit, spec: AreaSpec, id: string | undefined): string {
  return faults[unfit](spec, id);
}

/** Why the rows of a full search can't guide the next ones. `count`: of all of them, also of those without a position. */
export function unfitOf(rows: readonly Spotted[], count: number): Unfit | undefined {
  if (rows.length < count / 2) return 'unplaced';
  return new Set(rows.map(({ id }) => id)).size < rows.length / 2 ? 'alike' : undefined;
}

/** What is known of a search that did not return everything in its tile. */
export interface FullSearch {
  /** It is at the highest zoom. */
  readonly isDeepest: boolean;
  /** It returned as many rows as a search can. Else it lacks places that other searches returned. */
  readonly isAtCap: boolean;
  readonly view: View & { readonly rows: readonly Spotted[] };
  /** How far a search sees, if that was measured. */
  readonly sight: Sight | undefined;
  /** Rows that no search had before. */
  readonly added: number;
  /** Whether one more tile may be split because its search lacks places. */
  readonly mayLack: () => boolean;
  /** Whether the known rows explain one more search like this. */
  readonly pays: () => boolean;
}

/** No row from within a measured view lies this many times as far from its centre. */
const overlap = 1.25;

/** When a tile isn't split, because that would bring nothing. The first case that holds counts. */
const cases: readonly (readonly [because: LeftBecause, holds: (search: FullSearch) => boolean])[] = [
  ['zoom', ({ isDeepest }) => isDeepest],
  ['elsewhere', ({ isAtCap, view }) => isAtCap && liesElsewhere(view)],
  [
    'elsewhere',
    ({ isAtCap, added, view, sight }) => isAtCap && added === 0 && sight !== undefined && liesElsewhere(view, beyond(sight, view)),
  ],
  ['unsteady', ({ isAtCap, mayLack }) => !isAtCap && !mayLack()],
  ['crowded', ({ pays }) => !pays()],
];

/** Why the tile of a full search is left. Undefined if it is split. */
export function reasonNotSplit(search: FullSearch): LeftBecause | undefined {
  return cases.find(([, holds]) => holds(search))?.[0];
}

/** Views that are measured in degrees or kilometres have more pixels towards the poles. */
function beyond({ across, down }: Sight, { y }: View): Sight {
  const times = overlap * stretchAt(y);
  return { across: across * times, down: down * times };
}

/** A row lies in the views of four searches of a zoom. Twice as many allows for views that are larger than was measured. */
const viewsOfRow = 8;

/**
 * The limit of tiles that are split in one layout. If searches heed their view, each known row is in the view of a few
 * searches of a zoom. So all full searches of a zoom together have a few times as many rows as are known.
 */
export class SplitBudget {
  /** The rows of the full searches whose tiles were split, by zoom. */
  private readonly spent = new Map<number, number>();

  /** Whether the known rows explain one more full search at this zoom. If so, it counts. */
  pays(zoom: number, rows: number, known: number): boolean {
    const spent = (this.spent.get(zoom) ?? 0) + rows;
    if (spent > viewsOfRow * Math.max(rows, known)) return false;
    this.spent.set(zoom, spent);
    return true;
  }
}
