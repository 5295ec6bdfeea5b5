import { type Area, pixelAt } from './Area.ts';
import { findSight, type KnownSight, type Search } from './findSight.ts';
import type { Tile } from './layOut.ts';
import { minSight, type SearchResult, type Sight, type View } from './Reach.ts';

/** The limit of lessons. */
const maxLessons = 2;
/** The view is assumed so much smaller at first. From the fourth time on, it shrinks faster each time. */
const share = 0.95;
const slowTimes = 3;

/** What a lesson has come to. `elsewhere`: searches don't heed their view. */
export type LessonIs = 'on' | 'over' | 'elsewhere';

/**
 * How far the searches of an area see: as earlier searches found, as a lesson measures, or a little less each time that searches
 * don't see as far as was assumed. A lesson searches one view after another.
 */
export class AreaSight {
  readonly #begin: (first: SearchResult | undefined) => Search<KnownSight>;
  #known: NonNullable<KnownSight>;
  #lesson: Search<KnownSight> | undefined;
  /** What the lesson searches next, and what it is searching. */
  #view: View | undefined;
  #searching: Tile | undefined;
  #lessons = 0;
  /** What lessons found where they searched. A second one doesn't search there again. */
  readonly #found: SearchResult[] = [];
  #shrinks = 0;

  /** `enough`: a search with so many rows tells enough. `known`: what earlier searches learnt. */
  constructor(area: Area, zoom: readonly [number, number], enough: number, known?: Sight & { readonly sure?: boolean }) {
    this.#begin = (first) => findSight(area, zoom, enough, first);
    this.#known = { ...(known ?? minSight), sure: known?.sure ?? known !== undefined };
  }

  /** As far as a search is assumed to see. */
  get assumed(): Sight {
    return this.#known;
  }

  get isSure(): boolean {
    return this.#known.sure;
  }

  get learns(): boolean {
    return this.#lesson !== undefined;
  }

  get canShrink(): boolean {
    return this.#known.across > minSight.across || this.#known.down > minSight.down;
  }

  /** Starts a lesson. `first`: a full search to begin with. undefined: that was tried often enough. */
  learn(first?: SearchResult): LessonIs | undefined {
    if (this.#lessons >= maxLessons) return undefined;
    this.#lessons += 1;
    this.#searching = undefined;
    this.#lesson = this.#begin(first);
    return this.#take(this.#lesson.next());
  }

  /** The next search of the lesson. undefined while one is running. */
  next(layout: number): Tile | undefined {
    const view = this.#view;
    if (view === undefined) return undefined;
    const pixel = pixelAt(view.zoom);
    this.#view = undefined;
    this.#searching = { ...view, across: minSight.across * pixel, down: minSight.down * pixel, layout };
    return this.#searching;
  }

  /** Whether this search is the one that the lesson waits for. */
  searches(tile: Tile): boolean {
    return this.#lesson !== undefined && this.#searching === tile;
  }

  /** Gives the lesson the result of its search. */
  teach(searched: SearchResult): LessonIs {
    if (searched.rows.length > 0 || !searched.full) this.#found.push(searched); // else it failed
    return this.#take(this.#lesson!.next(searched));
  }

  /** Ends the lesson without a result. */
  giveUp(): void {
    this.#lesson = undefined;
  }

  /** Assumes a smaller view. */
  shrink(): void {
    this.#shrinks += 1;
    const { across, down, sure } = this.#known;
    const factor = share ** (2 ** Math.max(0, this.#shrinks - slowTimes));
    this.#known = { across: Math.max(minSight.across, across * factor), down: Math.max(minSight.down, down * factor), sure };
  }

  #take(step: IteratorResult<View, KnownSight>): LessonIs {
    if (step.done !== true) {
      const { x, y, zoom } = step.value;
      const before = this.#found.find((one) => one.x === x && one.y === y && one.zoom === zoom);
      if (before !== undefined) return this.#take(this.#lesson!.next(before));
      this.#view = step.value;
      return 'on';
    }
    this.#lesson = undefined;
    if (step.value === undefined) return 'elsewhere';
    this.#known = step.value;
    return 'over';
  }
}
