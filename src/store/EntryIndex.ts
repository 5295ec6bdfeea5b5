/** What an index needs to know of the entries, which it knows by their numbers. */
interface EntryRules {
  /** 32 bits of what entries are found by. */
  readonly hashOf: (entry: number) => number;
  /** Whether two entries are found by the same. */
  readonly isSame: (one: number, other: number) => boolean;
  /** Whether an entry takes the place of another that is found by the same. */
  readonly replaces: (entry: number, held: number) => boolean;
}

const load = 0.75; // of the slots are in use at most
const growth = 1.5;
const spare = 1.4; // slots for each entry where their number is known

/** Finds entries by their content: a hash table with open addressing. It takes 5 to 11 bytes for each entry. */
export class EntryIndex {
  readonly #rules: EntryRules;
  /** The number of an entry plus one. 0: the slot is free. */
  #slots = new Uint32Array(16);
  #used = 0;

  constructor(rules: EntryRules) {
    this.#rules = rules;
  }

  get memoryBytes(): number {
    return this.#slots.byteLength;
  }

  /** Makes room for this many more. */
  reserve(entries: number): void {
    const needed = Math.ceil((this.#used + entries) * spare);
    if (needed > this.#slots.length) this.#resize(needed);
  }

  add(entry: number): void {
    if (this.#used + 1 > this.#slots.length * load) this.#resize(Math.ceil(this.#slots.length * growth));
    const { hashOf, isSame, replaces } = this.#rules;
    const slots = this.#slots;
    let slot = hashOf(entry) % slots.length;
    for (; slots[slot] !== 0; slot = slot + 1 === slots.length ? 0 : slot + 1) {
      const held = slots[slot]! - 1;
      if (!isSame(entry, held)) continue;
      if (replaces(entry, held)) slots[slot] = entry + 1;
      return;
    }
    slots[slot] = entry + 1;
    this.#used++;
  }

  /** The first entry of this hash that fits. */
  find(hash: number, fits: (entry: number) => boolean): number | undefined {
    const slots = this.#slots;
    for (let slot = hash % slots.length; slots[slot] !== 0; slot = slot + 1 === slots.length ? 0 : slot + 1)
      if (fits(slots[slot]! - 1)) return slots[slot]! - 1;
    return undefined;
  }

  /** All entries that weren't replaced. */
  *entries(): Iterable<number> {
    for (const held of this.#slots) if (held !== 0) yield held - 1;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#used = 0;
  }

  #resize(length: number): void {
    const slots = new Uint32Array(length);
    for (const held of this.#slots) {
      if (held === 0) continue;
      let slot = this.#rules.hashOf(held - 1) % length;
      while (slots[slot] !== 0) slot = slot + 1 === length ? 0 : slot + 1;
      slots[slot] = held;
    }
    this.#slots = slots;
  }
}
