/** The first wait. A consumer that takes a row a second is slow, not stuck. */
const firstMs = 1000;
const maxMs = 600_000;
/** How long to wait to see whether the waiter that was let go has helped, and how long to wait for the next one if it has. */
const effectMs = 250;
const helpedMs = 10;

type Watched = Record<'moves' | 'idleMoves' | 'active', number> & Record<'isAwaited' | 'releasesByItself', boolean> & { letGo(): void };

/**
 * Watches a node that holds while something waits for it. The node may itself need what waits: a promise inside a value, a cache, a
 * Subject. That would be a deadlock, and it looks the same as a slow consumer. So after a second in which nothing moved and no request
 * was in flight, the nearest waiter is let go. If that helped, the next one follows at once. If not, the wait doubles, so a slow consumer
 * gets only few pages too early. If the process would end otherwise, one is let go at once.
 */
export class StallWatch {
  readonly #node: Watched;
  #waitMs = firstMs;
  /** The node's moves when the wait began. */
  #moves = 0;
  /** Its idle moves before the last waiter was let go. undefined: that was judged, or none was let go. */
  #before: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(node: Watched) {
    this.#node = node;
  }

  /** Something waits for the node. */
  begin(): void {
    if (this.#timer === undefined) this.#lookIn(this.#waitMs);
  }

  /** Nothing waits any more. What was let go may still help. */
  rest(): void {
    if (this.#before === undefined) this.end();
  }

  /** The node released, or it is time to judge. */
  end(): void {
    if (this.#before !== undefined)
      this.#waitMs = this.#node.idleMoves !== this.#before ? helpedMs : Math.min(Math.max(firstMs, 2 * this.#waitMs), maxMs);
    this.#before = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    idle.delete(this.#letOneGo);
  }

  #look(): void {
    const { moves, active, isAwaited } = this.#node;
    if (this.#before !== undefined && active > 0) return this.#lookIn(effectMs);
    if (this.#before === undefined && isAwaited && moves === this.#moves && this.#letOneGo()) return;
    this.end();
    if (isAwaited) this.begin();
  }

  /** Whether one was let go. */
  readonly #letOneGo = (): boolean => {
    const { active, isAwaited, releasesByItself, idleMoves } = this.#node;
    if (!isAwaited || active > 0 || releasesByItself) return false;
    this.#before = idleMoves;
    this.#node.letGo();
    if (this.#before !== undefined) this.#lookIn(effectMs); // else it made the node release
    return true;
  };

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#moves = this.#node.moves;
    this.#timer = setTimeout(() => this.#look(), ms).unref();
    idle.add(this.#letOneGo);
    process.off('beforeExit', callAll).on('beforeExit', callAll);
  }
}

/** Called when the process has nothing else to do and would end. If one of them let something go, all are called again. */
const idle = new Set<() => boolean>();

function callAll(): void {
  if (Array.from(idle, (letOneGo) => letOneGo()).includes(true)) setImmediate(() => {});
}
