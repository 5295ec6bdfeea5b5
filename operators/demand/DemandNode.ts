import { StallWatch } from './StallWatch.ts';
import { workElsewhere } from './workElsewhere.ts';

/** Something that waits until a node releases. */
export interface Waiting {
  /** The node released. Something nearer to the sink may hold by now, so check again. */
  resume(): void;
  /** Releases up to `most` waiters although the node still holds, those nearest to the sink first. Returns how many. */
  letGo(most: number): number;
  /** How many they are. @default 1 */
  count?(): number;
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
  readonly #sink: DemandNode;
  readonly #backlog: (() => number | undefined) | undefined;
  #holding = false;
  #waiting: Set<Waiting> | undefined;
  #watch: StallWatch | undefined;
  #moves = 0;
  #idleMoves = 0;
  #active = 0;
  #lasting: number | undefined;

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
    this.#sink = parent === undefined ? this : parent.#sink;
    this.#backlog = backlog;
  }

  get holding(): boolean {
    return this.#holding;
  }

  /** Counts what it took from its backlog, to distinguish slow from stuck. */
  get moves(): number {
    return this.#moves;
  }

  /** The moves made while no request was on its way: it had what it needed. */
  get idleMoves(): number {
    return this.#idleMoves;
  }

  /** How many wait for it. */
  get waiting(): number {
    let count = 0;
    for (const one of this.#waiting ?? []) count += one.count?.() ?? 1;
    return count;
  }

  /** Requests that lead to the same sink and don't need a release: those in flight, and those that no node holds. */
  get active(): number {
    return this.#sink.#active;
  }

  /** Timers and child processes of others when the first response for its sink came: its consumer hadn't begun. */
  get lasting(): number {
    return this.#sink.#lasting ?? 0;
  }

  /** The names on the path to the sink, this one first. */
  get path(): string[] {
    const below = this.parent?.path ?? [];
    return this.name === undefined ? below : [this.name, ...below];
  }

  /** Pauses everything upstream of this node. */
  hold(): void {
    this.#holding = true;
  }

  /** Lets everything upstream continue. */
  release(): void {
    if (!this.#holding) return;
    this.#holding = false;
    this.moved();
    this.#watch?.stop();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) for (const one of waiting) one.resume();
  }

  /** Records that it took something from its backlog, so it isn't stuck. */
  moved(): void {
    this.#moves += 1;
    if (this.active === 0) this.#idleMoves += 1;
  }

  /** Counts one more request that doesn't need a release, or with -1 one less. */
  addActive(requests: 1 | -1): void {
    this.#sink.#active += requests;
    if (requests === -1) this.#sink.#lasting ??= workElsewhere().lasting;
  }

  /** The nearest holding node on the path to the sink, including this one. Undefined if the path is free. */
  holder(): DemandNode | undefined {
    return this.#holding ? this : this.parent?.holder();
  }

  /** How much waits in the backlog that work under this node fills, the nearest on the path to the sink. Undefined: there is none. */
  get backlog(): number | undefined {
    return this.#backlog?.() ?? this.parent?.backlog;
  }

  /** Waits until this node releases, once. Returns a cancel function. */
  wait(one: Waiting): () => void {
    const waiting = (this.#waiting ??= new Set());
    waiting.add(one);
    (this.#watch ??= new StallWatch(this, (most) => this.#letGo(most))).start();
    return () => {
      waiting.delete(one);
      if (waiting.size === 0 && waiting === this.#waiting) this.#watch?.rest();
    };
  }

  #letGo(most: number): number {
    let went = 0;
    for (const one of this.#waiting ?? []) went += one.letGo(most);
    return went;
  }
}
