import type { OpenQuery } from '../core/Query.ts';
import { wasSent } from '../state/failureOf.ts';

/** Queries that failed for a reason that may pass. Each is tried once more in a run, after all others and after a wait. */
export class PostponedQueries {
  readonly #waitMs: number;
  /** Those to try again, and when at the earliest. */
  #kept: { readonly query: OpenQuery; readonly at: number }[] = [];
  /** Those that were tried again, or will be. */
  readonly #known = new Set<number>();
  /** Those of earlier runs that weren't tried in this one. */
  readonly #earlier = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  /** The latest error. */
  error: unknown;

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  get size(): number {
    return this.#kept.length;
  }

  /** Some of them weren't tried in this run yet. */
  get untried(): boolean {
    return this.#kept.some(({ query }) => this.#earlier.has(query.number));
  }

  /** Takes a query that an earlier run postponed. It is tried once in this one. */
  bring(query: OpenQuery): void {
    this.#earlier.add(query.number);
    this.#known.add(query.number);
    this.#kept.push({ query, at: performance.now() });
  }

  /** Whether a query was tried again, or will be. */
  knows({ number }: OpenQuery): boolean {
    return this.#known.has(number);
  }

  /** Keeps a query for later. False: it was tried again before. What a client refused without sending it wasn't tried. */
  keep(query: OpenQuery, error: unknown): boolean {
    this.error = error;
    if (wasSent(error)) {
      this.#earlier.delete(query.number);
      if (this.#known.has(query.number)) return false;
      this.#known.add(query.number);
    }
    this.#kept.push({ query, at: performance.now() + this.#waitMs });
    return true;
  }

  /** Nothing else is left. Gives all of them once they have waited. */
  release(take: (queries: readonly OpenQuery[]) => void): void {
    if (this.#timer !== undefined || this.#kept.length === 0) return;
    const leftMs = Math.max(0, this.#kept.at(-1)!.at - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      take(this.#kept.splice(0).map(({ query }) => query));
    }, leftMs);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
