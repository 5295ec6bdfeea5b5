import type { EntryRef, EntryTable } from './EntryTable.ts';
import { memberContent } from './gzipMember.ts';
import { SegmentReader } from './SegmentReader.ts';
import type { StoreFolder } from './StoreFolder.ts';
import type { StoreWriter } from './StoreWriter.ts';
import { decodeRecord, type WarcRecord } from './warcRecord.ts';

const openFiles = 32;
/** What is wrong with a record whose segment was removed. */
export const gone = 'it is gone';

/** Reads the records of a store's entries: from its segments, and those that aren't written yet from memory. */
export class StoredRecords {
  readonly #files: StoreFolder;
  readonly #table: EntryTable;
  readonly #writer: StoreWriter;
  readonly #segments = new Map<number, SegmentReader>();
  /** The segments with open files. The one used last is at the end. */
  readonly #open = new Set<SegmentReader>();

  constructor(files: StoreFolder, table: EntryTable, writer: StoreWriter) {
    this.#files = files;
    this.#table = table;
    this.#writer = writer;
  }

  segment(number: number): SegmentReader {
    let segment = this.#segments.get(number);
    if (segment === undefined) this.#segments.set(number, (segment = new SegmentReader(this.#files, number)));
    return segment;
  }

  /** Reads the new entries of a segment that this store doesn't write to. For the arguments see `SegmentReader.load`. */
  load(number: number, operationOf: (name: string) => number, mend: boolean): void {
    const segment = this.segment(number);
    segment.load(this.#table, operationOf, mend);
    if (!this.#open.has(segment)) segment.close();
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
    for (const segment of this.#open) segment.close();
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
    const segment = this.segment(number);
    this.#open.delete(segment);
    this.#open.add(segment);
    if (this.#open.size > openFiles) {
      const [oldest] = this.#open;
      oldest!.close();
      this.#open.delete(oldest!);
    }
    return segment.content(offset, length);
  }
}
