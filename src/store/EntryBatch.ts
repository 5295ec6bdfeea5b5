import { entryWords, packEntry, type StoreEntry } from './EntryTable.ts';

/** Entries for an index file, packed one after the other. */
export class EntryBatch {
  #words = new Uint32Array(64 * entryWords);
  #length = 0;

  get size(): number {
    return this.#length / entryWords;
  }

  /** `operation`: its number in the index file. */
  add(entry: Omit<StoreEntry, 'operation'>, operation: number): void {
    if (this.#length === this.#words.length) {
      const larger = new Uint32Array(2 * this.#length);
      larger.set(this.#words);
      this.#words = larger;
    }
    packEntry(entry, this.#words, this.#length, operation);
    this.#length += entryWords;
  }

  /** All entries. The batch is empty afterwards. */
  take(): Uint32Array {
    const words = this.#words.slice(0, this.#length);
    this.#length = 0;
    return words;
  }
}
