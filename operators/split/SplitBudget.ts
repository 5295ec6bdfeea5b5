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
