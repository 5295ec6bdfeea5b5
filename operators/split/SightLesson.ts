import type { findSight, KnownSight } from './findSight.ts';
import type { Tile } from './layOut.ts';
import { pixelAt } from './mercator.ts';
import { minSight, type Looked, type View } from './Reach.ts';

/** The searches that measure the view, one at a time. */
export class SightLesson {
  readonly #steps: ReturnType<typeof findSight>;
  #next: View | undefined;
  #searching: Tile | undefined;
  /** What they found out, once they are over. */
  result: { readonly sight: KnownSight } | undefined;

  constructor(steps: ReturnType<typeof findSight>) {
    this.#steps = steps;
    this.#take(steps.next());
  }

  /** The next search. Undefined while one is running. */
  next(layout: number): Tile | undefined {
    const view = this.#next;
    if (view === undefined) return undefined;
    const pixel = pixelAt(view.zoom);
    this.#next = undefined;
    this.#searching = { ...view, across: minSight.across * pixel, down: minSight.down * pixel, layout };
    return this.#searching;
  }

  /** Whether this search is the one that is running. */
  searches(tile: Tile): boolean {
    return this.#searching === tile;
  }

  done(looked: Looked): void {
    this.#take(this.#steps.next(looked));
  }

  #take(step: IteratorResult<View, KnownSight>): void {
    if (step.done === true) this.result = { sight: step.value };
    else this.#next = step.value;
  }
}
