import { memberContent, memberContents } from './gzipMember.ts';

/** Bytes of a segment that were read at once, from the beginning of a member on. */
export class MemberWindow {
  readonly #at: number;
  readonly #bytes: Buffer;
  /** Contents that were inflated together, by their places in the segment. */
  #contents = new Map<number, Buffer>();

  constructor(at: number, bytes: Buffer) {
    this.#at = at;
    this.#bytes = bytes;
  }

  /** Whether it has a member of this place and length. */
  has(offset: number, length: number): boolean {
    return offset >= this.#at && offset + length <= this.#at + this.#bytes.length;
  }

  /** How far a place is from its beginning. */
  distance(offset: number): number {
    return Math.abs(offset - this.#at);
  }

  /** The content of a member. undefined if any of it has changed. */
  content(offset: number, length: number): Buffer | undefined {
    const known = this.#contents.get(offset);
    if (known !== undefined) return known;
    const from = offset - this.#at;
    const together = memberContents(this.#bytes, from);
    if (together === undefined) return memberContent(this.#bytes.subarray(from, from + length));
    this.#contents = new Map(together.map(({ at, content }) => [this.#at + at, content]));
    return this.#contents.get(offset);
  }
}
