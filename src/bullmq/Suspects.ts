import type { AttemptOwner } from '../client/attempt/RunningAttempt.ts';
import type { Remote } from './Remote.ts';

/**
 * Pages whose worker was lost twice. One of them may end its worker again, and with it all pages that run there, so they are
 * added one after the other. So a page that ends workers fails alone.
 */
export class Suspects {
  readonly #add: (remote: Remote) => void;
  /** How often the worker of a page was lost. */
  readonly #losses = new WeakMap<AttemptOwner, number>();
  readonly #waiting = new Set<Remote>();
  #running: Remote | undefined;

  constructor(add: (remote: Remote) => void) {
    this.#add = add;
  }

  lost({ owner }: Remote): void {
    this.#losses.set(owner, (this.#losses.get(owner) ?? 0) + 1);
  }

  includes({ owner }: Remote): boolean {
    return (this.#losses.get(owner) ?? 0) > 1;
  }

  take(remotes: readonly Remote[]): void {
    for (const remote of remotes) this.#waiting.add(remote);
    this.#next();
  }

  /** A page has its result, or is no longer needed. */
  left(remote: Remote): void {
    this.#waiting.delete(remote);
    if (this.#running !== remote) return;
    this.#running = undefined;
    this.#next();
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#running = next;
    this.#add(next);
  }
}
