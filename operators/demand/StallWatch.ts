/** How long after a released request is over its effect can show. */
const verdictMs = 10;
const lookMs = 250;

/** A node that holds, as its watch sees it. */
export interface Watched {
  /** How often it took something from its backlog. */
  readonly moves: number;
  /** The same, while no request was on its way. */
  readonly idleMoves: number;
  readonly active: number;
  readonly waiting: number;
  readonly releasesByItself: boolean;
  letGo(limit: number): number;
}

/** What a watch looks at besides its node. */
interface Surroundings {
  /** Monotonic milliseconds. */
  now(): number;
  /** Calls `run` after `ms`, but doesn't keep the process alive for it. Returns a cancel function. */
  after(ms: number, run: () => void): () => void;
  /** Calls `run` whenever nothing else can happen in the process. It returns whether it did something. Returns a cancel function. */
  whenIdle(run: () => boolean): () => void;
}

type State =
  /** Nothing waits. */
  | { readonly kind: 'resting' }
  /** Something waits, and nothing has moved since. */
  | { readonly kind: 'watching'; readonly moves: number; readonly since: number }
  /** Waiters were let go. `left`: how many more may follow. `overAt`: when their requests were over. */
  | { readonly kind: 'trying'; readonly moves: number; readonly idleMoves: number; readonly left: number; readonly overAt?: number };

type Trying = Extract<State, { readonly kind: 'trying' }>;

const resting: State = { kind: 'resting' };

/**
 * Watches a node that holds while something waits for it. The node may itself need what waits: a promise inside a
 * value, a cache, a Subject. From inside, this looks the same as a slow consumer, so the watch tries. When no request of
 * the node is on its way and it takes nothing for a while, the watch lets the nearest waiter go. When the process would
 * end otherwise, it does so at once, because then nobody else can end the wait.
 *
 * What it learns from a try is in `Patience`.
 */
export class StallWatch {
  readonly #node: Watched;
  readonly #around: Surroundings;
  #state = resting;
  #patience = new Patience();
  #stop: (() => void) | undefined;

  constructor(node: Watched, around: Surroundings = system) {
    this.#node = node;
    this.#around = around;
  }

  /** Something waits for the node. */
  waits(): void {
    if (this.#state.kind === 'trying' && this.#state.overAt !== undefined && this.#node.moves !== this.#state.moves) this.#rest();
    // The page that was let go made its walk ask for the next one.
    if (this.#state.kind === 'trying' && this.#state.left > 0) this.#lookIn(0);
    else if (this.#state.kind === 'resting') this.#watch();
  }

  /** Nothing waits any more, but what was let go may still show whether that helped. */
  nobodyWaits(): void {
    if (this.#state.kind === 'watching') this.#rest();
  }

  /** The node released. */
  released(): void {
    const state = this.#state;
    if (state.kind === 'trying' && this.#around.now() - (state.overAt ?? Infinity) <= 2 * verdictMs) this.#judge(state);
    else this.#patience = this.#patience.after('moved by itself');
    this.#rest();
  }

  #look(): void {
    const state = this.#state;
    if (state.kind === 'watching') this.#lookAtStill(state);
    else if (state.kind === 'trying') this.#lookAtTry(state);
  }

  #lookAtStill({ moves, since }: Extract<State, { readonly kind: 'watching' }>): void {
    const node = this.#node;
    if (node.waiting === 0) return this.#rest();
    if (node.moves !== moves) this.#patience = this.#patience.after('moved by itself');
    if (node.moves !== moves || node.active > 0) return this.#watch();
    const leftMs = this.#patience.ms - (this.#around.now() - since);
    if (leftMs > 0 || node.releasesByItself) this.#lookIn(Math.min(Math.max(leftMs, verdictMs), lookMs));
    else this.#try();
  }

  #lookAtTry(state: Trying): void {
    const node = this.#node;
    if (node.active > 0) return this.#lookIn(verdictMs);
    if (state.left > 0 && node.waiting > 0 && node.idleMoves === state.idleMoves) return this.#letGo(state);
    if (state.overAt === undefined) {
      this.#state = { ...state, overAt: this.#around.now() };
      return this.#lookIn(verdictMs);
    }
    // Some may still be let go: the next one goes at once.
    if (state.left > 0 && node.moves === state.moves) return this.#stopLooking();
    this.#judge(state);
    this.#watch();
  }

  /** Nothing else can happen in the process, so nothing is gained by waiting. */
  #lookAtOnce(): boolean {
    const node = this.#node;
    if (node.waiting === 0 || node.active > 0 || node.releasesByItself) return false;
    if (this.#state.kind === 'trying') this.#judge(this.#state);
    this.#try();
    return true;
  }

  #watch(): void {
    this.#state = { kind: 'watching', moves: this.#node.moves, since: this.#around.now() };
    this.#lookIn(Math.min(this.#patience.ms, lookMs));
  }

  #try(): void {
    const { moves, idleMoves } = this.#node;
    this.#letGo({ kind: 'trying', moves, idleMoves, left: this.#patience.limit });
  }

  #letGo({ moves, idleMoves, left }: Trying): void {
    const trying: State = { kind: 'trying', moves, idleMoves, left: 0 };
    this.#state = trying;
    const went = this.#node.letGo(left);
    // What was let go may have made the node release.
    if (this.#state !== trying) return;
    this.#state = { ...trying, left: left - went };
    this.#lookIn(verdictMs);
  }

  #judge(state: Trying): void {
    const { moves, idleMoves } = this.#node;
    const outcome = idleMoves !== state.idleMoves ? 'helped' : moves !== state.moves ? 'moved meanwhile' : 'in vain';
    this.#patience = this.#patience.after(outcome);
  }

  #lookIn(ms: number): void {
    this.#stopLooking();
    const cancels = [this.#around.after(ms, () => this.#look()), this.#around.whenIdle(() => this.#lookAtOnce())];
    this.#stop = () => cancels.forEach((cancel) => cancel());
  }

  #stopLooking(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #rest(): void {
    this.#stopLooking();
    this.#state = resting;
  }
}

const system: Surroundings = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  whenIdle,
};

const listeners = new Set<() => boolean>();

/**
 * Calls `run` whenever nothing else can happen in the process, so that it would end. `run` returns whether it did
 * something: then it is called again if that led nowhere. Returns a cancel function.
 */
function whenIdle(run: () => boolean): () => void {
  if (listeners.size === 0) process.on('beforeExit', callAll);
  listeners.add(run);
  return () => {
    listeners.delete(run);
    if (listeners.size === 0) process.off('beforeExit', callAll);
  };
}

function callAll(): void {
  const acted = Array.from(listeners, (run) => run());
  if (acted.includes(true)) setImmediate(() => {});
}

/** A consumer that takes a row a second isn't taken for one that is stuck. */
const firstMs = 1000;
/** Tries that help show that the node waits for what it holds, so the next one comes as soon as nothing moves. */
const helpedMs = 10;
const maxMs = 600_000;
/** Costs little if the consumer was only slow. */
const maxAtOnce = 64;

/** What letting some waiters go brought. */
type TryResult =
  /** The node took something while no request was on its way: what was let go was what it waited for. */
  | 'helped'
  /** It took something while some were still on their way: because of one that had come, or by itself. */
  | 'moved meanwhile'
  /** It took nothing. */
  | 'in vain'
  /** It took something although nothing had been let go. */
  | 'moved by itself';

/**
 * How long a node may stand still until waiters are let go, and how many then. If that helps, more follow at once. If it
 * doesn't, four times as many follow after twice the wait. So a pipe that waits for itself ends soon, however many
 * pages it needs. A slow consumer gets few pages too many, and only once, because the wait stays as long as it has become.
 */
class Patience {
  /** How long. */
  readonly ms: number;
  /** How many. */
  readonly limit: number;
  /** The last try helped. */
  readonly helped: boolean;
  /** How long, had it not. */
  readonly baseMs: number;

  constructor(baseMs: number = firstMs, limit: number = 1, helped: boolean = false) {
    this.helped = helped;
    this.baseMs = baseMs;
    this.ms = helped ? helpedMs : Math.min(baseMs, maxMs);
    this.limit = Math.min(limit, maxAtOnce);
  }

  after(outcome: TryResult): Patience {
    return lessons[outcome](this);
  }
}

const lessons: Record<TryResult, (now: Patience) => Patience> = {
  helped: ({ limit }) => new Patience(firstMs, 2 * limit, true),
  // One alone will show which of the two it was. If it was one alone, the consumer moves by itself.
  'moved meanwhile': ({ baseMs, limit, helped }) => (limit > 1 ? new Patience(baseMs, 1, helped) : new Patience(2 * baseMs)),
  'in vain': ({ baseMs, limit }) => new Patience(2 * baseMs, 4 * limit),
  'moved by itself': ({ baseMs, limit, helped }) => new Patience(baseMs, helped ? limit : 1, helped),
};
