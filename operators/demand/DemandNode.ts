/**
 * A place between a source and the sink where work can pile up: a walk's waiting queries, a fan-out's backlog,
 * rows in front of a slow file.
 *
 * Nodes form a path to the sink by `parent`. Whoever spends something (a client that sends requests) asks the node
 * that the work was born under: nearest to the sink goes first, and nothing goes while anything on the path holds.
 */
export class DemandNode {
  readonly parent: DemandNode | undefined;
  /** Distance from the sink; smaller goes first. */
  readonly depth: number;
  #holding = false;
  #waiting: Set<() => void> | undefined;

  constructor(parent: DemandNode | undefined, depth: number = parent === undefined ? 0 : parent.depth + 1) {
    this.parent = parent;
    this.depth = depth;
  }

  get holding(): boolean {
    return this.#holding;
  }

  /** Stops everything above this node. */
  hold(): void {
    this.#holding = true;
  }

  /** Lets everything above go on. */
  release(): void {
    if (!this.#holding) return;
    this.#holding = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) for (const wake of waiting) wake();
  }

  /** The nearest node on the way to the sink that holds, this one included; undefined when the way is free. */
  holder(): DemandNode | undefined {
    if (this.#holding) return this;
    let node = this.parent;
    while (node !== undefined && !node.#holding) node = node.parent;
    return node;
  }

  /** Calls `wake` once when this node lets go; the function that is returned takes that back. */
  onRelease(wake: () => void): () => void {
    const waiting = (this.#waiting ??= new Set());
    waiting.add(wake);
    return () => waiting.delete(wake);
  }
}
