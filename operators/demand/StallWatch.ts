import { own, workElsewhere } from './workElsewhere.ts';

/** How long nothing may move before something is released: if nothing else in the process is at work, and otherwise. */
const quietMs = 50;
const busyMs = 1000;
const longestMs = 600_000;
/** How long after a released request is over its effect can show. */
const verdictMs = 10;
const lookMs = 250;
const mostInDoubt = 64;

/** What can be seen of a node that holds. */
interface Watched {
  /** How often it took something from its backlog. */
  readonly moves: number;
  /** The same, while no request was on its way. */
  readonly idleMoves: number;
  readonly active: number;
  /** Timers and child processes that were there before it got anything. */
  readonly lasting: number;
  readonly waiting: number;
}

/**
 * Watches a node that holds while something waits for it. The node may itself need what waits: a promise inside a
 * value, a cache, a Subject. From inside, this looks the same as a slow consumer, so the watch tries. When no request
 * is on its way and the node takes nothing, it releases the nearest waiter. If nothing else in the process is at work,
 * it does so at once, because then nobody else can end the wait. Otherwise it waits a second.
 *
 * If the node then moves, more follow at once. If it doesn't, four times as many follow after twice the wait. So a pipe
 * that waits for itself ends soon, however many pages it needs. A slow consumer gets few pages too many, and only once,
 * because the wait stays as long as it has become.
 *
 * Its timer also keeps the process alive while something waits.
 */
export class StallWatch {
  readonly #node: Watched;
  readonly #letGo: (most: number) => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Tries that didn't help: each doubles the wait. */
  #vain = 0;
  #atOnce = 1;
  /** The last try made the node move. */
  #helped = false;
  #moves = 0;
  #stillSince = 0;
  /** What was seen when waiters were released, and how many more may follow. Undefined while no try runs. */
  #tried: { readonly moves: number; readonly idleMoves: number; left: number; over: boolean; overAt: number } | undefined;

  constructor(node: Watched, letGo: (most: number) => number) {
    this.#node = node;
    this.#letGo = letGo;
  }

  start(): void {
    if (this.#tried?.over === true && this.#node.moves !== this.#tried.moves) this.#tried = undefined;
    if (this.#tried !== undefined && this.#tried.left > 0) {
      // The page that was released made the walk ask for its next one.
      this.#sleep();
      this.#schedule(0);
    } else if (this.#timer === undefined) {
      this.#still();
      this.#schedule(this.#helped ? verdictMs : quietMs);
    }
  }

  /** Nothing waits any more, but released waiters may still show whether that helped. */
  rest(): void {
    if (this.#tried === undefined) this.#sleep();
  }

  /** The node released. */
  stop(): void {
    this.#sleep();
    const late = this.#tried?.over === true && performance.now() - this.#tried.overAt > 2 * verdictMs;
    if (late) this.#tried = undefined;
    if (this.#tried === undefined) this.#movedAlone();
    else this.#judge();
  }

  #schedule(ms: number): void {
    if (this.#timer === undefined) own.timers += 1;
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #sleep(): void {
    if (this.#timer === undefined) return;
    own.timers -= 1;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #still(): void {
    this.#moves = this.#node.moves;
    this.#stillSince = performance.now();
  }

  #look(): void {
    const { active } = this.#node;
    if (this.#tried !== undefined) {
      if (active > 0) return this.#schedule(verdictMs);
      if (this.#tried.left > 0 && this.#node.waiting > 0 && this.#node.idleMoves === this.#tried.idleMoves) return this.#release();
      if (!this.#tried.over) {
        this.#tried.over = true;
        this.#tried.overAt = performance.now();
        return this.#schedule(verdictMs);
      }
      // Some may still be released: whoever comes next goes at once.
      if (this.#tried.left > 0 && this.#node.moves === this.#tried.moves) return this.#sleep();
      this.#judge();
      this.#still();
    }
    if (this.#node.waiting === 0) return this.#sleep();
    if (active > 0 || this.#node.moves !== this.#moves) {
      if (this.#node.moves !== this.#moves) this.#movedAlone();
      this.#still();
      return this.#schedule(quietMs);
    }
    const { lasting, passing } = workElsewhere();
    const quiet = !passing && lasting <= this.#node.lasting;
    const alone = quiet && lasting === 0 && own.requests === 0;
    const waitMs = this.#helped ? verdictMs : Math.min((quiet ? quietMs : busyMs) * 2 ** this.#vain, longestMs);
    const leftMs = waitMs - (performance.now() - this.#stillSince);
    if (leftMs > 0) return this.#schedule(Math.min(Math.ceil(leftMs), lookMs));
    const left = alone ? this.#atOnce : Math.min(this.#atOnce, mostInDoubt);
    this.#tried = { moves: this.#moves, idleMoves: this.#node.idleMoves, left, over: false, overAt: 0 };
    this.#release();
  }

  #release(): void {
    const timer = this.#timer;
    const tried = this.#tried!;
    tried.over = false;
    tried.left -= this.#letGo(tried.left);
    // A released waiter may have made the node release, and so stopped this watch.
    if (this.#timer === timer) this.#schedule(verdictMs);
  }

  #judge(): void {
    const { moves, idleMoves } = this.#tried!;
    this.#tried = undefined;
    const moved = this.#node.moves !== moves;
    if (this.#node.idleMoves !== idleMoves) {
      this.#helped = true;
      this.#vain = 0;
      this.#atOnce = Math.min(this.#atOnce * 2, mostInDoubt);
    } else if (moved && this.#atOnce > 1) {
      // It moved while some were on their way: because of one that had come, or by itself. One alone will show.
      this.#atOnce = 1;
    } else {
      this.#helped = false;
      this.#atOnce = moved ? 1 : this.#atOnce * 4;
      this.#vain += 1;
    }
  }

  /** It took something although nothing was released: a consumer that is only slow. */
  #movedAlone(): void {
    if (!this.#helped) this.#atOnce = 1;
  }
}
