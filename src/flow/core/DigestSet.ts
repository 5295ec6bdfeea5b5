const minSlots = 64;

/** A set of 64-bit digests that takes 12 to 24 bytes for each, so that millions fit. */
export class DigestSet {
  protected slots: BigUint64Array = new BigUint64Array(minSlots);
  private count = 0;

  get size(): number {
    return this.count;
  }

  has(digest: bigint): boolean {
    return this.slots[this.slotOf(digest)] !== 0n;
  }

  *digests(): Generator<bigint, void, undefined> {
    for (const digest of this.slots) if (digest !== 0n) yield digest;
  }

  isWithin(other: DigestSet): boolean {
    return this.slots.every((digest) => digest === 0n || other.has(digest));
  }

  /** Whether it wasn't there yet. */
  add(digest: bigint): boolean {
    const slot = this.slotOf(digest);
    if (this.slots[slot] !== 0n) return false;
    this.slots[slot] = digest === 0n ? 1n : digest; // 0 marks a slot that is free
    this.count += 1;
    if (this.count > this.slots.length * 0.66) this.grow();
    return true;
  }

  /** Where the digest is, or would be. */
  protected slotOf(digest: bigint): number {
    const sought = digest === 0n ? 1n : digest;
    const slots = this.slots;
    const mask = slots.length - 1;
    let slot = Number(sought & 0xffffffffn) & mask;
    while (slots[slot] !== 0n && slots[slot] !== sought) slot = (slot + 1) & mask;
    return slot;
  }

  protected grow(): void {
    const old = this.slots;
    this.slots = new BigUint64Array(old.length * 2);
    for (const digest of old) if (digest !== 0n) this.slots[this.slotOf(digest)] = digest;
  }
}

/** A number for each 64-bit digest, in 24 to 48 bytes, so that millions fit. */
export class DigestMap extends DigestSet {
  private values = new Float64Array(this.slots.length);

  get(digest: bigint): number | undefined {
    const slot = this.slotOf(digest);
    return this.slots[slot] === 0n ? undefined : this.values[slot];
  }

  set(digest: bigint, value: number): void {
    this.add(digest);
    this.values[this.slotOf(digest)] = value;
  }

  /** In no particular order. */
  *entries(): Generator<readonly [digest: bigint, value: number], void, undefined> {
    for (const [slot, digest] of this.slots.entries()) if (digest !== 0n) yield [digest, this.values[slot]!];
  }

  protected override grow(): void {
    const [slots, values] = [this.slots, this.values];
    super.grow();
    this.values = new Float64Array(this.slots.length);
    for (const [slot, digest] of slots.entries()) if (digest !== 0n) this.values[this.slotOf(digest)] = values[slot]!;
  }
}
