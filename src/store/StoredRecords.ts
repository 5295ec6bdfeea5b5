import { madeIn } from '../../operators/kit/once.ts';
import { type EntryRef, type EntryTable, entryWords } from './EntryTable.ts';
import { memberContent, memberContents } from './gzipMember.ts';
import type { StoreFolder } from './StoreFolder.ts';
import { readUpTo } from '../files/blocks.ts';
import type { StoreWriter } from './StoreWriter.ts';
import { decodeRecord, type WarcRecord } from './warcRecord.ts';
import { LastUsed } from '../../operators/kit/LastUsed.ts';
import { type OpenFile, tryOnDisk } from '../files/FileSystem.ts';
import { entryOf, operationOfKey, scanSegment } from './scanSegment.ts';
import { IndexBuilder, decodeFrames, indexHead } from './SegmentWriter.ts';

const openFiles = 32;
/** What is wrong with a record whose segment was removed. */
export const gone = 'it is gone';

/** Reads the records of a store's entries: from its segments, and those that aren't written yet from memory. */
export class StoredRecords {
  readonly #files: StoreFolder;
  readonly #table: EntryTable;
  readonly #writer: StoreWriter;
  readonly #segments = new Map<number, SegmentReader>();
  /** The segments with open files. */
  readonly #open = new LastUsed<number, SegmentReader>(openFiles, (segment) => segment.close());

  constructor(files: StoreFolder, table: EntryTable, writer: StoreWriter) {
    this.#files = files;
    this.#table = table;
    this.#writer = writer;
  }

  segment(number: number): SegmentReader {
    return madeIn(this.#segments, number, () => new SegmentReader(this.#files, number));
  }

  /** Reads the new entries of a segment that this store doesn't write to. For the arguments see `SegmentReader.load`. */
  load(number: number, operationOf: (name: string) => number, mend: boolean): void {
    const segment = this.segment(number);
    segment.load(this.#table, operationOf, mend);
    if (this.#open.peek(number) === undefined) segment.close();
  }

  /** A record with its body, which may be in another record. Or what is wrong with it. */
  whole(entry: EntryRef): WarcRecord | string {
    const record = this.#read(entry);
    if (typeof record === 'string' || record.type === 'response') return record;
    const holder = this.#table.findBody(record.payload);
    const original = holder === undefined ? gone : this.#read(holder);
    if (typeof original === 'string' || !original.payload.equals(record.payload))
      return 'the record that has its body is missing or damaged';
    return { ...record, body: original.body };
  }

  /** A record with exactly this body. */
  withBody(payload: Buffer, body: Buffer): WarcRecord | undefined {
    const entry = this.#table.findBody(payload);
    const record = entry === undefined ? undefined : this.#read(entry);
    return typeof record === 'object' && record.body.equals(body) ? record : undefined;
  }

  close(): void {
    this.#open.clear();
  }

  /** A record, or what is wrong with it. */
  #read(entry: EntryRef): WarcRecord | string {
    const own = this.#writer.of(entry.segment);
    if (own?.lacks(entry.offset) === true) return 'it was never written';
    const member = own?.member(entry.offset, entry.length);
    const content = member === undefined ? this.#contentOf(entry) : (memberContent(member) ?? 'damaged');
    if (content === undefined) return gone;
    if (content === 'damaged') return 'its bytes have changed';
    const record = decodeRecord(content, true);
    return record === 'digest' ? 'its digest does not match' : typeof record === 'string' ? 'it is no record of a response' : record;
  }

  #contentOf({ segment: number, offset, length }: EntryRef): ReturnType<SegmentReader['content']> {
    return this.#open.use(number, () => this.segment(number)).content(offset, length);
  }
}

const chunkBytes = 4 * 2 ** 20;
const windowBytes = 64 * 1024;
const maxWindows = 4;

/** Reads one segment: its entries, from its index or from the segment itself, and its members. */
class SegmentReader {
  readonly number: number;
  readonly #folder: StoreFolder;
  /** How far the index is read. */
  #indexAt = 0;
  /** The operations that the index names, by their numbers in the table. */
  readonly #operations: number[] = [];
  /** The entries up to here are in the table. */
  #covered = 0;
  /** The segment was searched up to here without a result. */
  #seen = 0;
  #file: OpenFile | undefined;
  /** The bytes read last. */
  readonly #windows: MemberWindow[] = [];

  constructor(folder: StoreFolder, number: number) {
    this.#folder = folder;
    this.number = number;
  }

  /**
   * Adds new entries to the table. `operationOf` returns the table's number for a name. `mend`: nobody writes to the
   * segment, so an incomplete index is made again.
   */
  load(table: EntryTable, operationOf: (name: string) => number, mend: boolean): void {
    if (mend && this.#indexAt === 0 && this.#covered === 0 && !this.#hasIndex()) this.#remakeIndex();
    this.#loadIndex(table, operationOf);
    const size = this.#folder.size(this.#folder.segment(this.number)) ?? 0;
    const from = Math.max(this.#covered, this.#seen);
    if (size <= from) return;
    const file = this.#open();
    if (file === undefined) return;
    let found = false;
    for (const { offset, length, content } of scanSegment(file, from)) {
      const record = content === undefined ? 'damaged' : decodeRecord(content);
      if (content !== undefined) this.#seen = offset + length;
      if (typeof record === 'string') continue;
      const name = operationOfKey(record.key);
      table.add({ ...entryOf(record, this.number, offset, length), operation: operationOf(name) });
      this.#covered = offset + length;
      found = true;
    }
    if (found && mend) this.#remakeIndex();
  }

  /** The entries before `end` are in the table: this process wrote them. */
  covers(end: number): void {
    this.#covered = end;
  }

  /** The content of a member. `damaged`: any of it has changed. undefined if the segment is gone. */
  content(offset: number, length: number): Buffer | 'damaged' | undefined {
    const file = this.#open();
    if (file === undefined) return undefined;
    if (length > windowBytes) return memberContent(readUpTo(file, offset, length)) ?? 'damaged';
    let window = this.#windows.find((one) => one.has(offset, length));
    if (window === undefined) {
      // A replayed crawl mostly reads one member after the other, in a few places at a time.
      const near = this.#windows.some((one) => one.distance(offset) < 2 * windowBytes);
      window = new MemberWindow(offset, readUpTo(file, offset, near ? windowBytes : length));
      this.#windows.unshift(window);
      this.#windows.length = Math.min(this.#windows.length, maxWindows);
    }
    return window.content(offset, length) ?? 'damaged';
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#windows.length = 0;
  }

  #open(): OpenFile | undefined {
    return (this.#file ??= this.#folder.openToRead(this.#folder.segment(this.number)));
  }

  #hasIndex(): boolean {
    const file = this.#folder.openToRead(this.#folder.index(this.number));
    if (file === undefined) return false;
    try {
      return readUpTo(file, 0, indexHead.length).equals(indexHead);
    } finally {
      file.close();
    }
  }

  /** Makes the index again if possible. A read-only folder can be read without it. */
  #remakeIndex(): void {
    tryOnDisk(() => remakeIndex(this.#folder, this.number));
  }

  #loadIndex(table: EntryTable, operationOf: (name: string) => number): void {
    const path = this.#folder.index(this.number);
    const size = this.#folder.size(path) ?? 0;
    if (size <= this.#indexAt) return;
    const file = this.#folder.openToRead(path);
    if (file === undefined) return;
    try {
      if (this.#indexAt === 0) {
        if (!readUpTo(file, 0, indexHead.length).equals(indexHead)) return;
        this.#indexAt = indexHead.length;
        table.reserve(Math.floor(size / (entryWords * 4)));
      }
      for (;;) {
        const { frames, end } = decodeFrames(readUpTo(file, this.#indexAt, Math.min(chunkBytes, size - this.#indexAt)));
        if (end === 0) return;
        this.#indexAt += end;
        for (const frame of frames) {
          if (frame.kind === 'operation') this.#operations.push(operationOf(frame.name));
          else this.#addAll(table, frame.words);
        }
      }
    } finally {
      file.close();
    }
  }

  #addAll(table: EntryTable, words: Uint32Array): void {
    for (let at = 0; at < words.length; at += entryWords) {
      const offset = words[at + 6]!;
      const operation = this.#operations[(words[at + 9]! >>> 16) & 0x3fff];
      if (offset < this.#covered || operation === undefined) continue;
      table.addWords(words, at, this.number, operation);
      this.#covered = offset + words[at + 7]!;
    }
  }
}

/** Makes the index of a finished segment from the segment itself. */
function remakeIndex(folder: StoreFolder, number: number): void {
  const file = folder.openToRead(folder.segment(number));
  if (file === undefined) return;
  const index = new IndexBuilder();
  try {
    for (const { offset, length, content } of scanSegment(file, 0)) {
      const record = content === undefined ? 'damaged' : decodeRecord(content);
      if (typeof record !== 'string') index.add(entryOf(record, number, offset, length), operationOfKey(record.key));
    }
  } finally {
    file.close();
  }
  folder.replace(folder.index(number), index.take());
}

/** Bytes of a segment that were read at once, from the beginning of a member on. */
class MemberWindow {
  readonly #at: number;
  readonly #bytes: Buffer;
  /** Contents that were inflated together, by their positions in the segment. */
  #contents = new Map<number, Buffer>();

  constructor(at: number, bytes: Buffer) {
    this.#at = at;
    this.#bytes = bytes;
  }

  /** Whether it has a member of this position and length. */
  has(offset: number, length: number): boolean {
    return offset >= this.#at && offset + length <= this.#at + this.#bytes.length;
  }

  /** How far a position is from its beginning. */
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
