import type { Splits } from '../PageFactory.ts';
import { valueAt } from '../walk/valueAt.ts';
import type { Area } from './Area.ts';
import { AreaPlan, type AreaPlanOptions, type Tile } from './AreaPlan.ts';
import { mapX, mapY } from './mercator.ts';
import type { Sight, Spotted } from './Reach.ts';
import { writeView } from './viewText.ts';

/** An area plan in queries and rows: what to search next, which rows to keep, what stayed full. */
export class AreaSearch<Query extends object> {
  readonly #area: Area;
  readonly #base: object;
  readonly #id: string | undefined;
  readonly #spec: NonNullable<Splits['area']>;
  readonly #clip: boolean;
  readonly #plan: AreaPlan;
  readonly #tiles = new Map<Query, Tile>();
  readonly #known = new Set<unknown>();
  readonly #counts = { queries: 0, rows: 0, again: 0, outside: 0 };

  constructor(
    area: Area,
    base: object,
    id: string | undefined,
    spec: NonNullable<Splits['area']>,
    options: AreaPlanOptions,
    clip: boolean,
  ) {
    this.#area = area;
    this.#base = base;
    this.#id = id;
    this.#spec = spec;
    this.#clip = clip;
    this.#plan = new AreaPlan(area, options);
  }

  get sight(): Sight | undefined {
    return this.#plan.sight;
  }

  get cap(): number {
    return this.#plan.cap;
  }

  get counts(): { readonly queries: number; readonly rows: number; readonly again: number; readonly outside: number } {
    return this.#counts;
  }

  /** The queries that stayed full. */
  get left(): Query[] {
    return this.#plan.left.map((tile) => this.#query(tile));
  }

  next(): Query | undefined {
    const tile = this.#plan.next();
    if (tile === undefined) return undefined;
    const query = this.#query(tile);
    this.#tiles.set(query, tile);
    this.#counts.queries++;
    return query;
  }

  /** Where rows lie; those that don't say so are left out. */
  spot(rows: readonly unknown[]): Spotted[] {
    return rows.flatMap((row): Spotted[] => {
      const at = this.#position(row);
      return at === undefined ? [] : [{ id: this.#idOf(row) ?? row, x: mapX(at.longitude), y: mapY(at.latitude) }];
    });
  }

  /** Takes what `spot` makes of all rows of a query that was walked to its end, and how many rows there were. */
  done(query: Query, spotted: readonly Spotted[], count: number): void {
    this.#plan.done(this.#tiles.get(query)!, spotted, count);
    this.#tiles.delete(query);
  }

  failed(query: Query): void {
    const tile = this.#tiles.get(query);
    if (tile !== undefined) this.#plan.failed(tile);
    this.#tiles.delete(query);
  }

  /** The rows of a page that are new and lie in the area. Rows without a position are kept. */
  keep(rows: readonly unknown[]): readonly unknown[] {
    return rows.filter((row) => {
      const at = this.#position(row);
      if (this.#clip && at !== undefined && !this.#area.contains(at.longitude, at.latitude)) {
        this.#counts.outside++;
        return false;
      }
      const id = this.#idOf(row);
      if (id !== undefined && id !== null && this.#known.has(id)) {
        this.#counts.again++;
        return false;
      }
      this.#known.add(id);
      this.#counts.rows++;
      return true;
    });
  }

  #idOf(row: unknown): unknown {
    return this.#id === undefined ? undefined : valueAt(row, this.#id);
  }

  #position(row: unknown): { readonly latitude: number; readonly longitude: number } | undefined {
    const [latitude, longitude] = [valueAt(row, this.#spec.latitude), valueAt(row, this.#spec.longitude)];
    return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : undefined;
  }

  #query(tile: Tile): Query {
    return { ...this.#base, [this.#spec.param]: writeView(this.#spec, tile) } as Query;
  }
}
