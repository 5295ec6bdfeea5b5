import { DigestSet } from './DigestSet.ts';

/** A number for each 64-bit digest, in 24 to 48 bytes, so that millions fit. */
export class DigestMap extends DigestSet {
  #values = new Float64Array(this.slots.length);

  get(digest: bigint): number | undefined {
    const slot = this.slotOf(digest);
    return this.slots[slot] === 0n ? undefined : this.#values[slot];
  }

  set(digest: bigint, value: number): void {
    this.add(digest);
    this.#values[this.slotOf(digest)] = value;
  }

  /** In no particular order. */
  *values(): Generator<number, void, undefined> {
    for (const [slot, digest] of this.slots.entries()) if (digest !== 0n) yield this.#values[slot]!;
  }

  protected override grow(): void {
    const [slots, values] = [this.slots, this.#values];
    super.grow();
    this.#values = new Float64Array(this.slots.length);
    for (const [slot, digest] of slots.entries()) if (digest !== 0n) this.#values[this.slotOf(digest)] = values[slot]!;
  }
}
