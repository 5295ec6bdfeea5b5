import type { LeftBecause } from './coverFault.ts';
import { liesElsewhere } from './findSight.ts';
import type { Sight, Spotted, View } from './Reach.ts';

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

/** How far beyond its tile a search sees if its view was measured. */
const overlap = 1.25;

/** When a tile isn't split, because that would bring nothing. The first case that holds counts. */
const cases: readonly (readonly [because: LeftBecause, holds: (search: FullSearch) => boolean])[] = [
  ['zoom', ({ isDeepest }) => isDeepest],
  ['elsewhere', ({ isAtCap, view }) => isAtCap && liesElsewhere(view)],
  ['elsewhere', ({ isAtCap, added, view, sight }) => isAtCap && added === 0 && sight !== undefined && liesElsewhere(view, beyond(sight))],
  ['unsteady', ({ isAtCap, mayLack }) => !isAtCap && !mayLack()],
  ['crowded', ({ pays }) => !pays()],
];

/** Why the tile of a full search is left. Undefined if it is split. */
export function whyLeft(search: FullSearch): LeftBecause | undefined {
  return cases.find(([, holds]) => holds(search))?.[0];
}

function beyond({ across, down }: Sight): Sight {
  return { across: across * overlap, down: down * overlap };
}

/** A row lies in the views of four searches of a zoom. Twice as many allows for views that are larger than was measured. */
const viewsOfRow = 8;

/**
 * The limit of tiles that are split in one layout. If searches heed their view, each known row is in the view of a few
 * searches of a zoom. So all full searches of a zoom together have a few times as many rows as are known.
 */
export class SplitBudget {
  /** The rows of the full searches whose tiles were split, by zoom. */
  readonly #spent = new Map<number, number>();

  /** Whether the known rows explain one more full search at this zoom. If so, it counts. */
  pays(zoom: number, rows: number, known: number): boolean {
    const spent = (this.#spent.get(zoom) ?? 0) + rows;
    if (spent > viewsOfRow * Math.max(rows, known)) return false;
    this.#spent.set(zoom, spent);
    return true;
  }
}
