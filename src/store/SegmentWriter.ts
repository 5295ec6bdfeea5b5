import type { OpenFile } from '../sinks/FileSystem.ts';
import { systemCode } from '../sinks/sinkFault.ts';
import { entryWords, packEntry, type StoreEntry } from './EntryTable.ts';
import { encodeFrame, indexHead, type IndexFrame } from './indexFile.ts';
import type { StoreFolder } from './StoreFolder.ts';

/** A segment of no more bytes is a fixture, perhaps: its index is the same however long its responses took to come. */
const fewBytes = 2 ** 24;

/**
 * Appends to one segment and its index; nobody else writes to them. Bytes go to the segment first, so that an index
 * that survives a kill never knows more than the segment has.
 */
export class SegmentWriter {
  readonly number: number;
  readonly #folder: StoreFolder;
  readonly #file: OpenFile;
  readonly #index: OpenFile;
  readonly #operations = new Map<string, number>();
  /** Members that aren't written yet, by offset. */
  #waiting = new Map<number, Buffer>();
  /** … and those that are being written. */
  #writing: ReadonlyMap<number, Buffer> = new Map();
  #frames: Buffer[] = [];
  /** Entries, and the number of each one's operation in this index. */
  #entries: StoreEntry[] = [];
  #numbers: number[] = [];
  /** What the index of a small segment has: names of operations, and entries. */
  #few: IndexFrame[] | undefined = [];
  #writes = 0;
  /** Where the next member goes. */
  #end = 0;
  #written = 0;
  #indexEnd = 0;
  #nameSafe = false;
  #closed = false;

  private constructor(folder: StoreFolder, number: number, file: OpenFile, index: OpenFile) {
    this.#folder = folder;
    this.number = number;
    this.#file = file;
    this.#index = index;
    this.#frames.push(indexHead);
  }

  /** Takes the next free number: whoever makes the segment's file has it, and the marker says that somebody writes to it. */
  static open(folder: StoreFolder): SegmentWriter {
    for (let { next: number } = folder.look(); ; number++) {
      const marker = folder.marker(number);
      let file: OpenFile;
      try {
        folder.fileSystem.open(marker, 'wx', 0o600).close();
      } catch (error) {
        if (systemCode(error) === 'EEXIST') continue;
        throw error;
      }
      try {
        file = folder.fileSystem.open(folder.segment(number), 'wx', 0o600);
      } catch (error) {
        folder.remove(marker);
        if (systemCode(error) === 'EEXIST') continue;
        throw error;
      }
      try {
        folder.remove(folder.index(number)); // one that outlived its segment in a power cut
        return new SegmentWriter(folder, number, file, folder.fileSystem.open(folder.index(number), 'wx', 0o600));
      } catch (error) {
        file.close();
        throw error;
      }
    }
  }

  get end(): number {
    return this.#end;
  }

  /** Bytes that aren't written yet. */
  get backlog(): number {
    return this.#end - this.#written;
  }

  /** Takes a member; `entry` where it is a response. Gives where it will be. */
  add(member: Buffer, operation: string, entry: StoreEntry | undefined): void {
    this.#waiting.set(this.#end, member);
    this.#end += member.length;
    if (entry === undefined) return;
    let number = this.#operations.get(operation);
    if (number === undefined) {
      this.#operations.set(operation, (number = this.#operations.size));
      this.#packEntries();
      this.#addFrame({ kind: 'operation', name: operation });
    }
    this.#entries.push(entry);
    this.#numbers.push(number);
  }

  /** A member that isn't written yet. */
  member(offset: number): Buffer | undefined {
    return this.#waiting.get(offset) ?? this.#writing.get(offset);
  }

  /** Whether a member was taken that didn't reach the file. */
  lacks(offset: number): boolean {
    return this.#closed && offset >= this.#written;
  }

  /** Writes all that was taken. One at a time. */
  async write(): Promise<void> {
    const { bytes, frames } = this.#take();
    this.#writes++;
    for (let at = 0; at < bytes.length;) at += await this.#file.write(bytes, at, bytes.length - at, this.#written + at);
    this.#written += bytes.length;
    for (let at = 0; at < frames.length;) at += await this.#index.write(frames, at, frames.length - at, this.#indexEnd + at);
    this.#indexEnd += frames.length;
    this.#writing = new Map();
  }

  /** Makes safe what is written. The index isn't: it can be made anew. */
  async sync(): Promise<void> {
    await this.#file.datasync();
    if (!this.#nameSafe) await this.#folder.fileSystem.syncFolder(this.#folder.path);
    this.#nameSafe = true;
  }

  /** `whole`: all that it took is written. */
  close(whole: boolean): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#file.close();
    this.#index.close();
    if (whole && this.#writes > 1 && this.#few !== undefined) this.#remakeIndex(this.#few);
    this.#folder.remove(this.#folder.marker(this.number));
  }

  /** The index as it is when all is written in one go. */
  #remakeIndex(frames: readonly IndexFrame[]): void {
    const parts = [indexHead];
    let batches: Uint32Array[] = [];
    const pack = (): void => {
      if (batches.length > 0) parts.push(encodeFrame({ kind: 'entries', words: joined(batches) }));
      batches = [];
    };
    for (const frame of frames) {
      if (frame.kind === 'entries') batches.push(frame.words);
      else {
        pack();
        parts.push(encodeFrame(frame));
      }
    }
    pack();
    try {
      this.#folder.replace(this.#folder.index(this.number), Buffer.concat(parts));
    } catch (error) {
      if (systemCode(error) === undefined) throw error; // the index that is there is good, too
    }
  }

  #take(): { readonly bytes: Buffer; readonly frames: Buffer } {
    this.#packEntries();
    const frames = this.#frames.length === 1 ? this.#frames[0]! : Buffer.concat(this.#frames);
    this.#frames = [];
    this.#writing = this.#waiting;
    this.#waiting = new Map();
    return { bytes: Buffer.concat([...this.#writing.values()]), frames };
  }

  #packEntries(): void {
    if (this.#entries.length === 0) return;
    this.#addFrame({ kind: 'entries', words: packEntries(this.#entries, this.#numbers) });
    this.#entries = [];
    this.#numbers = [];
  }

  #addFrame(frame: IndexFrame): void {
    this.#frames.push(encodeFrame(frame));
    this.#few?.push(frame);
    if (this.#end > fewBytes) this.#few = undefined;
  }
}

function joined(batches: readonly Uint32Array[]): Uint32Array {
  const words = new Uint32Array(batches.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const batch of batches) {
    words.set(batch, at);
    at += batch.length;
  }
  return words;
}

/** Entries as an index file has them, where operations have the numbers given. */
export function packEntries(entries: readonly Omit<StoreEntry, 'operation'>[], operations: readonly number[]): Uint32Array {
  const words = new Uint32Array(entries.length * entryWords);
  for (const [nth, entry] of entries.entries()) packEntry(entry, words, nth * entryWords, operations[nth]);
  return words;
}
