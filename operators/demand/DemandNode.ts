import { StallWatch } from './StallWatch.ts';

/** Something that waits until a node releases. */
export interface Waiting {
  /** The node released. Something nearer to the sink may hold by now, so check again. */
  resume(): void;
  /** Continues with one piece of work although the node still holds, the one nearest to the sink. Whether there was one. */
  letGo(): boolean;
}

/**
 * A point between a source and the sink where work can pile up: a walk's waiting queries, a fan-out's backlog, rows in
 * front of a slow file.
 *
 * `parent` links nodes into a path to the sink. Code that spends something (a client that sends requests) looks at the
 * node of the work: work nearest to the sink goes first, and work with a holding node on its path waits.
 *
 * Holding decides what goes first, never whether something goes at all: see `StallWatch`.
 */
export class DemandNode {
  readonly parent: DemandNode | undefined;
  /** Distance from the sink; smaller goes first. */
  readonly depth: number;
  /** What it is, for people: `fanOut`, `toJsonl reviews.jsonl`. */
  readonly name: string | undefined;
  holding = false;
  /** How many works under this node need no slot of their own, because they share a request with other works. */
  sharing = 0;
  /** How often it took something from its backlog. If this stands still, it is stuck and not only slow. */
  moves = 0;
  /** The moves that it made while none of its requests was in flight, so it needed none of them. */
  idleMoves = 0;
  readonly #backlog: (() => number | undefined) | undefined;
  #consumer: DemandNode | undefined;
  /** If this is the `consumer` of a node: that node. */
  #serves: DemandNode | undefined;
  #shares: (() => void) | undefined;
  /** It holds only until its own work is done, such as a write to a file. It needs nothing from upstream. */
  #works = false;
  #waiting: Set<Waiting> | undefined;
  #watch: StallWatch | undefined;
  #active = 0;

  /** `backlog`: how much waits here for its turn. */
  constructor(
    parent: DemandNode | undefined,
    depth: number = parent === undefined ? 0 : parent.depth + 1,
    name?: string,
    backlog?: () => number | undefined,
  ) {
    this.parent = parent;
    this.depth = depth;
    this.name = name;
    this.#backlog = backlog;
  }

  /** The node for streams that take from this node's backlog. They are one step nearer to the sink. */
  get consumer(): DemandNode {
    if (this.#consumer === undefined) {
      this.#consumer = new DemandNode(this.parent, this.depth - 1);
      this.#consumer.#serves = this;
    }
    return this.#consumer;
  }

  /** The last node on the path to the sink. It is the same for all work of one pipe. */
  get root(): DemandNode {
    return this.parent?.root ?? this.#serves?.root ?? this;
  }

  /** Begins to count `sharing`. `more` is called each time it grows. */
  countSharing(more: () => void): void {
    this.#shares = more;
  }

  /** Work under this node shares a request with other work, or with -1 no longer does. */
  shareSlot(works: 1 | -1): void {
    if (this.#shares === undefined) return this.parent?.shareSlot(works);
    this.sharing += works;
    if (works > 0) this.#shares();
  }

  /** It will release without help: its own work ends, or a holding node nearer to the sink is released or watched. */
  get releasesByItself(): boolean {
    if (this.holding && this.#works) return true;
    const nearer = this.parent?.holder();
    return nearer !== undefined && (nearer.isAwaited || nearer.releasesByItself);
  }

  get isAwaited(): boolean {
    return (this.#waiting?.size ?? 0) > 0;
  }

  /** Requests in flight under this node and under its consumer. */
  get active(): number {
    return this.#active + (this.#consumer?.active ?? 0);
  }

  /** The number of the value, such as a row, that its work is for. Smaller goes first, so older values are finished before new ones. */
  get value(): number {
    return this.parent?.value ?? Number.MAX_SAFE_INTEGER;
  }

  /** The names on the path to the sink, this one first. */
  get path(): string[] {
    const below = this.parent?.path ?? [];
    return this.name === undefined ? below : [this.name, ...below];
  }

  /**
   * Pauses everything upstream of this node. `ownWork`: it waits only for its own work, such as a write to a file, so no waiter is let
   * go meanwhile.
   */
  hold(ownWork: boolean = false): void {
    this.holding = true;
    this.#works = ownWork;
  }

  /** Lets everything upstream continue. */
  release(): void {
    if (!this.holding) return;
    this.holding = false;
    this.moved();
    this.#watch?.end();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) for (const one of waiting) one.resume();
  }

  /** Records that it took something from its backlog, so it isn't stuck. */
  moved(): void {
    this.moves += 1;
    if (this.active === 0) this.idleMoves += 1;
  }

  /** Counts one more request in flight on this path, or with -1 one less. */
  addActive(requests: 1 | -1): void {
    this.#active += requests;
    this.parent?.addActive(requests);
  }

  /** The nearest holding node on the path to the sink, including this one. Undefined if the path is free. */
  holder(): DemandNode | undefined {
    return this.holding ? this : this.parent?.holder();
  }

  /** How much waits in the nearest backlog on the path to the sink, which work under this node fills. undefined: there is none. */
  get backlog(): number | undefined {
    return this.#backlog?.() ?? this.parent?.backlog;
  }

  /** Waits until this node releases, once. Returns a cancel function. */
  wait(one: Waiting): () => void {
    const waiting = (this.#waiting ??= new Set());
    waiting.add(one);
    (this.#watch ??= new StallWatch(this)).begin();
    return () => {
      waiting.delete(one);
      if (waiting.size === 0 && waiting === this.#waiting) this.#watch?.rest();
    };
  }

  /** Lets one waiter go although it still holds. */
  letGo(): void {
    for (const one of this.#waiting ?? []) if (one.letGo()) return;
  }
}
