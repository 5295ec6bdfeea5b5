import { isLoopback, parsedUrl } from '../../operators/kit/parsedUrl.ts';
import { getOrInsert } from '../../operators/kit/once.ts';
import { readUpTo, writeAllSync } from '../files/blocks.ts';
import { tryOnDisk } from '../files/FileSystem.ts';
import { decodeLines, encodeLine, type StoredEntry, type IndexLine, scanSegment } from './segment.ts';
import type { StoreFolder } from './StoreFolder.ts';
import type { WarcRecord } from './warcRecord.ts';

const chunkBytes = 4 * 2 ** 20;

/** The key of a response in an index. Responses of this machine, such as a sandbox's, get an `@`, so they never replace real ones. */
export function indexKey(key: string, url: string): string {
  return isLoopback(parsedUrl(url)?.hostname ?? '') ? `@${key}` : key;
}

/** Takes a key `service/operation?query` apart. */
export function requestOfKey(key: string): { readonly service: string; readonly operation: string; readonly query: string } {
  const [, service = '', operation = '', query = ''] = /^@?([^/]*)\/([^?]*)\?([^]*)$/.exec(key) ?? [];
  return { service, operation, query };
}

/** The responses of all segments, by their keys. Read from the index of each segment, and from the segment what its index lacks. */
export class ResponseIndex {
  readonly #files: StoreFolder;
  readonly #entries = new Map<string, StoredEntry>();
  /** By segment: how many bytes of its index are read, and up to which offset its records are known. */
  readonly #segments = new Map<number, { indexAt: number; covered: number; isNew: boolean }>();

  constructor(files: StoreFolder) {
    this.#files = files;
  }

  /** The number of requests that have a response. */
  get size(): number {
    return this.#entries.size;
  }

  /** The newest response of each request, with its key. */
  [Symbol.iterator](): Iterator<[key: string, newest: StoredEntry]> {
    return this.#entries[Symbol.iterator]();
  }

  /** The newest response under some keys. */
  newest(keys: readonly string[]): StoredEntry | undefined {
    let newest: StoredEntry | undefined;
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry !== undefined && entry.at > (newest?.at ?? -Infinity)) newest = entry;
    }
    return newest;
  }

  add(key: string, { segment, offset, length, at }: Omit<StoredEntry, 'older'>): void {
    const top = this.#entries.get(key);
    const entry: StoredEntry = { segment, offset, length, at, older: top };
    if (top === undefined || top.at <= at) return void this.#entries.set(key, entry);
    let before = top;
    while (before.older !== undefined && before.older.at > at) before = before.older;
    entry.older = before.older;
    before.older = entry;
  }

  /** Removes the newest entry of a key, so that the one before it counts. */
  drop(keys: readonly string[], entry: StoredEntry): void {
    for (const key of keys) {
      if (this.#entries.get(key) !== entry) continue;
      if (entry.older === undefined) this.#entries.delete(key);
      else this.#entries.set(key, entry.older);
    }
  }

  /** Reads what is new in a segment. `mend`: nobody writes to the segment, so lines that its index lacks are added. */
  load(number: number, mend: boolean): void {
    const state = getOrInsert(this.#segments, number, () => ({ indexAt: 0, covered: 0, isNew: true }));
    this.#loadIndex(number, state);
    if (!state.isNew) return;
    state.isNew = false;
    const file = this.#files.openToRead(this.#files.segment(number));
    if (file === undefined) return;
    const found: IndexLine[] = [];
    try {
      if (file.size() > state.covered) {
        for (const { offset, length, found: record } of scanSegment(file, state.covered)) {
          if (typeof record !== 'string') found.push(lineOf(record, offset, length));
        }
      }
    } finally {
      file.close();
    }
    for (const line of found) this.#add(number, line, state);
    if (found.length > 0 && mend) tryOnDisk(() => this.#mend(number, state, found)); // not needed: the folder may be read-only
  }

  #add(segment: number, { key, offset, length, at }: IndexLine, state: { covered: number }): void {
    if (offset < state.covered) return;
    this.add(key, { segment, offset, length, at });
    state.covered = offset + length;
  }

  #loadIndex(number: number, state: { indexAt: number; covered: number }): void {
    const path = this.#files.index(number);
    const size = this.#files.size(path) ?? 0;
    const file = size > state.indexAt ? this.#files.openToRead(path) : undefined;
    if (file === undefined) return;
    try {
      for (let end = 1; end > 0 && state.indexAt < size; state.indexAt += end) {
        const chunk = decodeLines(readUpTo(file, state.indexAt, Math.min(chunkBytes, size - state.indexAt)));
        for (const line of chunk.lines) this.#add(number, line, state);
        ({ end } = chunk);
      }
    } finally {
      file.close();
    }
  }

  /** Adds the lines that an index lacks after its last valid line. Several processes may do that at once: each line has a checksum. */
  #mend(number: number, state: { indexAt: number }, lacking: readonly IndexLine[]): void {
    const file = this.#files.fileSystem.open(this.#files.index(number), 'a', 0o600);
    try {
      file.truncate(state.indexAt);
      const bytes = Buffer.from(lacking.map(encodeLine).join(''));
      writeAllSync(file, bytes, state.indexAt);
      state.indexAt += bytes.length;
    } finally {
      file.close();
    }
  }
}

export function lineOf({ key, url, at }: Pick<WarcRecord, 'key' | 'url' | 'at'>, offset: number, length: number): IndexLine {
  return { key: indexKey(key, url), offset, length, at };
}
