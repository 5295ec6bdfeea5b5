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
export type EntryPlace = Omit<StoreEntry, 'key' | 'payload'>;

const pageEntries = 4096;
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
 * All entries of a store in memory, found by key and by body. An entry takes 40 bytes, and 5 to 11 more in each of two
 * tables. The table of bodies is made when it is first needed.
 */
export class EntryTable {
  readonly #pages: Uint32Array[] = [];
  #size = 0;
  #keys = new Uint32Array(16);
  #keysUsed = 0;
  #payloads: Uint32Array | undefined;
  #payloadsUsed = 0;

  /** All entries, including those replaced by a newer one with the same key. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory. */
  get memoryBytes(): number {
    return this.#pages.length * pageWords * 4 + this.#keys.byteLength + (this.#payloads?.byteLength ?? 0);
  }

  /** Makes room for this many more. */
  reserve(entries: number): void {
    const needed = Math.ceil((this.#keysUsed + entries) * 1.4);
    if (needed > this.#keys.length) this.#keys = this.#rehash(needed, this.#keys, 0);
  }

  add(entry: StoreEntry): void {
    packEntry(entry, scratch, 0);
    this.addWords(scratch, 0, entry.segment, entry.operation);
  }

  /** Adds an entry from an index file, in which segment and operation have other numbers. */
  addWords(words: Uint32Array, from: number, segment: number, operation: number): void {
    const index = this.#size++;
    const page = (this.#pages[Math.floor(index / pageEntries)] ??= new Uint32Array(pageWords));
    const to = (index % pageEntries) * entryWords;
    for (let word = 0; word < entryWords; word++) page[to + word] = words[from + word]!;
    page[to + 5] = segment;
    page[to + 9] = (page[to + 9]! & ~(operationMask << 16)) | (operation << 16);
    this.#addKey(index);
    if (this.#payloads !== undefined) this.#addPayload(index);
  }

  /** The newest entry of a key, from this machine or from another. undefined if there is none. */
  find(key: Buffer, loopback: boolean): EntryPlace | undefined {
    const first = key.readUInt32LE(0);
    const second = key.readUInt32LE(4);
    const third = key.readUInt32LE(8);
    const { length } = this.#keys;
    for (let slot = first % length; ; slot = slot + 1 === length ? 0 : slot + 1) {
      const held = this.#keys[slot]!;
      if (held === 0) return undefined;
      const index = held - 1;
      if (this.#word(index, 0) !== first || this.#word(index, 1) !== second || this.#word(index, 2) !== third) continue;
      if (this.#isLoopback(index) !== loopback) continue;
      return this.#isGone(index) ? undefined : this.#place(index);
    }
  }

  /** A response with this body, not a revisit. */
  findBody(payload: Buffer): EntryPlace | undefined {
    const table = (this.#payloads ??= this.#makePayloads());
    const first = payload.readUInt32LE(0);
    const second = payload.readUInt32LE(4);
    for (let slot = first % table.length; ; slot = slot + 1 === table.length ? 0 : slot + 1) {
      const held = table[slot]!;
      if (held === 0) return undefined;
      if (this.#word(held - 1, 3) === first && this.#word(held - 1, 4) === second && !this.#isGone(held - 1)) return this.#place(held - 1);
    }
  }

  /** Removes an unusable entry. An older one of the same key is found again. */
  drop(segment: number, offset: number): void {
    const all = Array.from({ length: this.#size }, (_, index) => index);
    for (const gone of all.filter((index) => this.#word(index, 5) === segment && this.#word(index, 6) === offset)) {
      this.#setWord(gone, 7, 0);
      for (const index of all) {
        if (this.#isSame(index, gone) && !this.#isGone(index)) this.#addKey(index);
      }
    }
  }

  /** Removes the entries of a deleted segment. Older ones of the same keys are found again. */
  dropSegment(segment: number): void {
    for (let index = 0; index < this.#size; index++) if (this.#word(index, 5) === segment) this.#setWord(index, 7, 0);
    this.#keys.fill(0);
    this.#keysUsed = 0;
    for (let index = 0; index < this.#size; index++) if (!this.#isGone(index)) this.#addKey(index);
    this.#payloads = undefined;
  }

  /** The newest entry of each key. */
  *current(): Iterable<EntryPlace> {
    for (const held of this.#keys) if (held !== 0 && !this.#isGone(held - 1)) yield this.#place(held - 1);
  }

  /** All entries, including replaced ones. */
  *all(): Iterable<EntryPlace> {
    for (let index = 0; index < this.#size; index++) if (!this.#isGone(index)) yield this.#place(index);
  }

  #word(index: number, word: number): number {
    return this.#pages[Math.floor(index / pageEntries)]![(index % pageEntries) * entryWords + word]!;
  }

  #setWord(index: number, word: number, value: number): void {
    this.#pages[Math.floor(index / pageEntries)]![(index % pageEntries) * entryWords + word] = value;
  }

  #isGone(index: number): boolean {
    return this.#word(index, 7) === 0;
  }

  #isLoopback(index: number): boolean {
    return this.#word(index, 9) >>> 31 === 1;
  }

  /** Whether two entries have the same key and the same kind of origin. */
  #isSame(one: number, other: number): boolean {
    for (let word = 0; word < 3; word++) if (this.#word(one, word) !== this.#word(other, word)) return false;
    return this.#isLoopback(one) === this.#isLoopback(other);
  }

  #time(index: number): number {
    return (this.#word(index, 9) & 0xffff) * 2 ** 32 + this.#word(index, 8);
  }

  #place(index: number): EntryPlace {
    const last = this.#word(index, 9);
    return {
      segment: this.#word(index, 5),
      offset: this.#word(index, 6),
      length: this.#word(index, 7),
      at: this.#time(index),
      operation: (last >>> 16) & operationMask,
      revisit: (last & (1 << 30)) !== 0,
      loopback: this.#isLoopback(index),
    };
  }

  #addKey(index: number): void {
    if ((this.#keysUsed + 1) * 4 > this.#keys.length * 3) {
      this.#keys = this.#rehash(Math.ceil(this.#keys.length * 1.5), this.#keys, 0);
    }
    const first = this.#word(index, 0);
    const { length } = this.#keys;
    for (let slot = first % length; ; slot = slot + 1 === length ? 0 : slot + 1) {
      const held = this.#keys[slot]!;
      if (held === 0) {
        this.#keysUsed++;
        this.#keys[slot] = index + 1;
        return;
      }
      if (!this.#isSame(held - 1, index)) continue;
      if (this.#isGone(held - 1) || this.#time(index) >= this.#time(held - 1)) this.#keys[slot] = index + 1;
      return;
    }
  }

  #makePayloads(): Uint32Array {
    this.#payloads = new Uint32Array(Math.max(16, Math.ceil(this.#size * 1.4)));
    this.#payloadsUsed = 0;
    for (let index = 0; index < this.#size; index++) this.#addPayload(index);
    return this.#payloads;
  }

  #addPayload(index: number): void {
    if ((this.#word(index, 9) & (1 << 30)) !== 0) return;
    let table = this.#payloads!;
    if ((this.#payloadsUsed + 1) * 4 > table.length * 3) {
      this.#payloads = table = this.#rehash(Math.ceil(table.length * 1.5), table, 3);
    }
    const first = this.#word(index, 3);
    for (let slot = first % table.length; ; slot = slot + 1 === table.length ? 0 : slot + 1) {
      const held = table[slot]!;
      if (held === 0) {
        this.#payloadsUsed++;
        table[slot] = index + 1;
        return;
      }
      const same = this.#word(held - 1, 3) === first && this.#word(held - 1, 4) === this.#word(index, 4);
      if (!same) continue;
      if (this.#isGone(held - 1)) table[slot] = index + 1;
      return;
    }
  }

  #rehash(length: number, old: Uint32Array, word: number): Uint32Array<ArrayBuffer> {
    const table = new Uint32Array(length);
    for (const held of old) {
      if (held === 0) continue;
      let slot = this.#word(held - 1, word) % length;
      while (table[slot] !== 0) slot = slot + 1 === length ? 0 : slot + 1;
      table[slot] = held;
    }
    return table;
  }
}
