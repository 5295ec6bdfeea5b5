/** Something that knows its index in the `Members` that it belongs to. */
export interface Member {
  /** -1: it belongs to none. */
  slot: number;
}

/**
 * A set for members that come and go all the time, in no order. A `Set` would grow a new table for every few of them,
 * and V8 keeps what an old table refers to alive until it collects the whole heap. A member may be wrapped in a Proxy
 * when it is deleted.
 */
export class Members<M extends Member> {
  size = 0;
  readonly #members: M[] = [];

  add(member: M): void {
    member.slot = this.size;
    this.size = this.#members.push(member);
  }

  /** False if it isn't there. */
  delete(member: M): boolean {
    const { slot } = member;
    if (slot === -1) return false;
    member.slot = -1;
    const last = this.#members.pop() as M;
    this.size -= 1;
    if (slot === this.size) return true;
    this.#members[slot] = last;
    last.slot = slot;
    return true;
  }

  /** The members of this moment: they may leave meanwhile. */
  [Symbol.iterator](): Iterator<M> {
    return this.#members.slice().values();
  }
}
