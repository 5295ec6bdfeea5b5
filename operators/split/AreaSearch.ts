import { valueAt } from '../walk/valueAt.ts';
import type { Area } from './Area.ts';
import { AreaPlan, type AreaPlanOptions } from './AreaPlan.ts';
import type { Tile } from './layOut.ts';
import { leftAdvice } from './coverFault.ts';
import { isOutside, spotsOf, writeView } from './AreaSpec.ts';
import type { AreaSpec } from './Splits.ts';

export interface AreaSearchOptions extends AreaPlanOptions {
  readonly spec: AreaSpec;
  /** The field that identifies a row. */
  readonly id: string | undefined;
  /** Leave out rows outside the area. */
  readonly clip: boolean;
}

/** An area plan in queries and rows: what to search next, which rows to keep, what stayed full. */
export class AreaSearch<Query extends object> {
  readonly plan: AreaPlan;
  readonly #area: Area;
  readonly #base: object;
  readonly #options: AreaSearchOptions;
  readonly #tiles = new Map<Query, Tile>();
  readonly #known = new Set<unknown>();
  readonly #counts = { queries: 0, rows: 0, again: 0, outside: 0 };

  constructor(area: Area, base: object, options: AreaSearchOptions) {
    this.plan = new AreaPlan(area, options);
    this.#area = area;
    this.#base = base;
    this.#options = options;
  }

  get counts(): { readonly queries: number; readonly rows: number; readonly again: number; readonly outside: number } {
    return this.#counts;
  }

  /** The queries that hold more than was found, and why. */
  get left(): { readonly query: Query; readonly message: string }[] {
    return this.plan.left.map(({ tile, because }) => ({ query: this.#query(tile), message: leftAdvice[because] }));
  }

  next(): Query | undefined {
    const tile = this.plan.next();
    if (tile === undefined) return undefined;
    const query = this.#query(tile);
    this.#tiles.set(query, tile);
    this.#counts.queries++;
    return query;
  }

  /** Takes the rows of a query that was walked to its end. */
  done(query: Query, rows: readonly unknown[]): void {
    const { spec, id } = this.#options;
    this.plan.done(this.#tiles.get(query)!, spotsOf(rows, spec, id), rows.length);
    this.#tiles.delete(query);
  }

  /** A query failed, or was cancelled. */
  failed(query: Query): void {
    const tile = this.#tiles.get(query);
    if (tile !== undefined) this.plan.failed(tile);
    this.#tiles.delete(query);
  }

  /** The rows of a page that are new and lie in the area. Rows without a position are kept. */
  keep(rows: readonly unknown[]): readonly unknown[] {
    const { spec, id: field, clip } = this.#options;
    return rows.filter((row) => {
      if (clip && isOutside(row, this.#area, spec)) {
        this.#counts.outside++;
        return false;
      }
      const id = field === undefined ? undefined : valueAt(row, field);
      if (id !== undefined && id !== null && this.#known.has(id)) {
        this.#counts.again++;
        return false;
      }
      this.#known.add(id);
      this.#counts.rows++;
      return true;
    });
  }

  #query(tile: Tile): Query {
    const { spec } = this.#options;
    return { ...this.#base, [spec.param]: writeView(spec, tile) } as Query;
  }
}
