import type { FileSystem } from '../../sinks/index.ts';
import { readLines } from './readRows.ts';
import { decodeJournalLine } from './Journal.ts';
import type { JournalRecord } from '../core/events.ts';

/**
 * Follows the journal of a run in another process. It takes no lock and changes nothing. Each `read` goes on where the one before
 * stopped, so watching a long run costs no more than its new records.
 */
export class JournalReader {
  readonly #path: string;
  readonly #fileSystem: FileSystem;
  #id: string | undefined;
  #end = 0;
  #seq = 0;
  #damaged = false;

  constructor(path: string, fileSystem: FileSystem) {
    this.#path = path;
    this.#fileSystem = fileSystem;
  }

  /** The number of the line that was written in full and can't be read. */
  get damagedLine(): number | undefined {
    return this.#damaged ? this.#seq + 1 : undefined;
  }

  /**
   * Reads the records that are new. Calls `restart` first if the file was replaced, cut off, or is gone. Stops at the first record
   * that can't be read: it may be half written. `take` returns false to stop.
   */
  async read(take: (record: JournalRecord) => boolean, restart: () => void): Promise<void> {
    const there = this.#fileSystem.stat(this.#path);
    if (there?.id !== this.#id || (there !== undefined && there.size < this.#end)) {
      [this.#id, this.#end, this.#seq] = [there?.id, 0, 0];
      restart();
    }
    this.#damaged = false;
    if (there === undefined || there.size === this.#end) return;
    const file = this.#fileSystem.open(this.#path, 'r');
    try {
      const start = this.#end;
      for await (const { bytes, at, whole } of readLines(file, start)) {
        const decoded = whole ? decodeJournalLine(bytes.toString()) : undefined;
        if (decoded?.seq !== this.#seq) {
          this.#damaged = whole;
          return;
        }
        this.#seq += 1;
        this.#end = at + bytes.length + 1;
        if (!take(decoded.record)) return;
      }
    } finally {
      file.close();
    }
  }
}
