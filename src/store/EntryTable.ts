/** The number of 32-bit words of an entry, in memory and in an index file. */
export const entryWords = 10;

/** What is known about a stored response without reading it. */
export interface StoreEntry {
  /** The SHA-1 of its key, of which 12 bytes are kept. */
  readonly key: Buffer;
  /** The SHA-1 of its body, of which 8 bytes are kept. */
  readonly payload: Buffer;
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
  /** A number for `service/operation`, from 0 on. */
  readonly operation: number;
  /** Its body is in another record. */
  readonly revisit: boolean;
  /** It came from this machine, most likely from a sandbox. Such responses and others have separate entries. */
  readonly loopback: boolean;
}

/** Where an entry is, and when its response arrived. */
export type EntryRef = Omit<StoreEntry, 'key' | 'payload'>;

const pageBits = 12;
const pageEntries = 1 << pageBits;
const pageMask = pageEntries - 1;
const pageWords = pageEntries * entryWords;
const operationMask = 0x3fff;
export const maxOperations: number = operationMask + 1;

/** Encodes an entry as words. */
export function packEntry(entry: Omit<StoreEntry, 'operation'>, words: Uint32Array, from: number, operation = 0): void {
  for (let word = 0; word < 3; word++) words[from + word] = entry.key.readUInt32LE(word * 4);
  for (let word = 0; word < 2; word++) words[from + 3 + word] = entry.payload.readUInt32LE(word * 4);
  words[from + 5] = entry.segment;
  words[from + 6] = entry.offset;
  words[from + 7] = entry.length;
  words[from + 8] = entry.at >>> 0;
  words[from + 9] =
    (Math.floor(entry.at / 2 ** 32) & 0xffff) | (operation << 16) | (entry.revisit ? 1 << 30 : 0) | (entry.loopback ? 1 << 31 : 0);
}

const scratch = new Uint32Array(entryWords);

/**
 * All entries of a store in memory, found by key and by body. An entry takes 40 bytes, and a few more in each of two
 * indexes. That of bodies is made when it is first needed.
 */
export class EntryTable {
  readonly #pages: Uint32Array[] = [];
  #size = 0;
  readonly #keys = new EntryIndex({
    hashOf: (entry) => this.#word(entry, 0),
    isSame: (one, other) => this.#isSame(one, other),
    replaces: (entry, held) => this.#isGone(held) || this.#time(entry) >= this.#time(held),
  });
  #bodies: EntryIndex | undefined;

  /** All entries, including those replaced by a newer one with the same key. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory. */
  get memoryBytes(): number {
    return this.#pages.length * pageWords * 4 + this.#keys.memoryBytes + (this.#bodies?.memoryBytes ?? 0);
  }

  /** Makes room for this many more. */
  reserve(entries: number): void {
    this.#keys.reserve(entries);
  }

  add(entry: StoreEntry): void {
    packEntry(entry, scratch, 0);
    this.addWords(scratch, 0, entry.segment, entry.operation);
  }

  /** Adds an entry from an index file, in which segment and operation have other numbers. */
  addWords(words: Uint32Array, from: number, segment: number, operation: number): void {
    const entry = this.#size++;
    const page = (this.#pages[entry >>> pageBits] ??= new Uint32Array(pageWords));
    const to = (entry & pageMask) * entryWords;
    for (let word = 0; word < entryWords; word++) page[to + word] = words[from + word]!;
    page[to + 5] = segment;
    page[to + 9] = (page[to + 9]! & ~(operationMask << 16)) | (operation << 16);
    this.#keys.add(entry);
    if (this.#bodies !== undefined && !this.#isRevisit(entry)) this.#bodies.add(entry);
  }

  /** The newest entry of a key, from this machine or from another. undefined if there is none. */
  find(key: Buffer, loopback: boolean): EntryRef | undefined {
    const first = key.readUInt32LE(0);
    const second = key.readUInt32LE(4);
    const third = key.readUInt32LE(8);
    const isKey = (entry: number): boolean =>
      this.#word(entry, 0) === first && this.#word(entry, 1) === second && this.#word(entry, 2) === third;
    const found = this.#keys.find(first, (entry) => isKey(entry) && this.#isLoopback(entry) === loopback);
    return found === undefined || this.#isGone(found) ? undefined : this.#ref(found);
  }

  /** A response with this body, not a revisit. */
  findBody(payload: Buffer): EntryRef | undefined {
    const first = payload.readUInt32LE(0);
    const second = payload.readUInt32LE(4);
    const isBody = (entry: number): boolean => this.#word(entry, 3) === first && this.#word(entry, 4) === second;
    const found = (this.#bodies ??= this.#indexBodies()).find(first, (entry) => isBody(entry) && !this.#isGone(entry));
    return found === undefined ? undefined : this.#ref(found);
  }

  /** Removes an unusable entry. An older one of the same key is found again, and another one of the same body. */
  drop(segment: number, offset: number): void {
    const all = Array.from({ length: this.#size }, (_, entry) => entry);
    for (const gone of all.filter((entry) => this.#word(entry, 5) === segment && this.#word(entry, 6) === offset)) {
      this.#setWord(gone, 7, 0);
      for (const entry of all) if (this.#isSame(entry, gone) && !this.#isGone(entry)) this.#keys.add(entry);
    }
    this.#bodies = undefined;
  }

  /** Removes the entries of a deleted segment. Older ones of the same keys are found again. */
  dropSegment(segment: number): void {
    for (let entry = 0; entry < this.#size; entry++) if (this.#word(entry, 5) === segment) this.#setWord(entry, 7, 0);
    this.#keys.clear();
    for (let entry = 0; entry < this.#size; entry++) if (!this.#isGone(entry)) this.#keys.add(entry);
    this.#bodies = undefined;
  }

  /** The newest entry of each key. */
  *current(): Iterable<EntryRef> {
    for (const entry of this.#keys.entries()) if (!this.#isGone(entry)) yield this.#ref(entry);
  }

  /** All entries, including replaced ones. */
  *all(): Iterable<EntryRef> {
    for (let entry = 0; entry < this.#size; entry++) if (!this.#isGone(entry)) yield this.#ref(entry);
  }

  #indexBodies(): EntryIndex {
    const bodies = new EntryIndex({
      hashOf: (entry) => this.#word(entry, 3),
      isSame: (one, other) => this.#word(one, 3) === this.#word(other, 3) && this.#word(one, 4) === this.#word(other, 4),
      replaces: (_, held) => this.#isGone(held),
    });
    bodies.reserve(this.#size);
    for (let entry = 0; entry < this.#size; entry++) if (!this.#isRevisit(entry)) bodies.add(entry);
    return bodies;
  }

  #word(entry: number, word: number): number {
    return this.#pages[entry >>> pageBits]![(entry & pageMask) * entryWords + word]!;
  }

  #setWord(entry: number, word: number, value: number): void {
    this.#pages[entry >>> pageBits]![(entry & pageMask) * entryWords + word] = value;
  }

  #isGone(entry: number): boolean {
    return this.#word(entry, 7) === 0;
  }

  #isRevisit(entry: number): boolean {
    return (this.#word(entry, 9) & (1 << 30)) !== 0;
  }

  #isLoopback(entry: number): boolean {
    return this.#word(entry, 9) >>> 31 === 1;
  }

  /** Whether two entries have the same key and the same kind of origin. */
  #isSame(one: number, other: number): boolean {
    for (let word = 0; word < 3; word++) if (this.#word(one, word) !== this.#word(other, word)) return false;
    return this.#isLoopback(one) === this.#isLoopback(other);
  }

  #time(entry: number): number {
    return (this.#word(entry, 9) & 0xffff) * 2 ** 32 + this.#word(entry, 8);
  }

  #ref(entry: number): EntryRef {
    return {
      segment: this.#word(entry, 5),
      offset: this.#word(entry, 6),
      length: this.#word(entry, 7),
      at: this.#time(entry),
      operation: (this.#word(entry, 9) >>> 16) & operationMask,
      revisit: this.#isRevisit(entry),
      loopback: this.#isLoopback(entry),
    };
  }
}

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
class EntryIndex {
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
