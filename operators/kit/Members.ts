/** Something that knows its index in the `Members` that it belongs to. */
export interface Member {
  slot: number;
}

/**
 * A set for members that come and go all the time, in no order. A `Set` would grow a new table for every few of them,
 * and V8 keeps what an old table refers to alive until it collects the whole heap.
 */
export class Members<M extends Member> {
  readonly #members: M[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: M): void {
    member.slot = this.#members.length;
    this.#members.push(member);
  }

  /** False if it isn't there. */
  delete(member: M): boolean {
    const { slot } = member;
    if (this.#members[slot] !== member) return false;
    const last = this.#members.pop() as M;
    if (last === member) return true;
    this.#members[slot] = last;
    last.slot = slot;
    return true;
  }

  /** The members of this moment: they may leave meanwhile. */
  [Symbol.iterator](): Iterator<M> {
    return this.#members.slice().values();
  }
}
