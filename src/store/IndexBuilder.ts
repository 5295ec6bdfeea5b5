import { entryWords, packEntry, type StoreEntry } from './EntryTable.ts';
import { encodeFrame, indexHead } from './indexFile.ts';

const batchEntries = 4096;

/** Makes the bytes of an index file from entries. */
export class IndexBuilder {
  #parts: Buffer[] = [indexHead];
  /** The numbers of operations in this file. */
  readonly #operations = new Map<string, number>();
  readonly #words = new Uint32Array(batchEntries * entryWords);
  #length = 0;

  /** `name`: its operation's. */
  add(entry: Omit<StoreEntry, 'operation'>, name: string): void {
    let operation = this.#operations.get(name);
    if (operation === undefined) {
      this.#operations.set(name, (operation = this.#operations.size));
      this.#pack();
      this.#parts.push(encodeFrame({ kind: 'operation', name }));
    }
    if (this.#length === this.#words.length) this.#pack();
    packEntry(entry, this.#words, this.#length, operation);
    this.#length += entryWords;
  }

  /** The bytes since the last call. */
  take(): Buffer {
    this.#pack();
    const parts = this.#parts;
    this.#parts = [];
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  #pack(): void {
    if (this.#length > 0) this.#parts.push(encodeFrame({ kind: 'entries', words: this.#words.subarray(0, this.#length) }));
    this.#length = 0;
  }
}
