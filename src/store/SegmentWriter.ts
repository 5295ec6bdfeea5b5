import { type OpenFile, systemCode, tryOnDisk } from '../files/FileSystem.ts';
import { writeAll } from '../files/blocks.ts';
import { ByteBuffer } from '../files/ByteBuffer.ts';
import { type StoreEntry, entryWords, packEntry } from './EntryTable.ts';
import { addMember } from './gzipMember.ts';
import type { StoreFolder } from './StoreFolder.ts';
import { crc32 } from 'node:zlib';

/** A segment this small may be a fixture, so its index doesn't depend on how long its responses took. */
const fewBytes = 2 ** 24;
const batchBytes = 2 ** 16;
const maxBatchBytes = 2 ** 22;

/**
 * Appends to one segment and its index. Nobody else writes to them. Bytes go to the segment first, so after a kill the index
 * never knows more than the segment contains.
 */
export class SegmentWriter {
  readonly number: number;
  readonly #folder: StoreFolder;
  readonly #file: OpenFile;
  readonly #index: OpenFile;
  /** Which file its own is. */
  readonly #id: string | undefined;
  /** Members being written … */
  #writing = new ByteBuffer(batchBytes);
  /** … and those after them. */
  #waiting = new ByteBuffer(batchBytes);
  readonly #entries = new IndexBuilder();
  /** The index of a small segment as it is when all is written in one go. */
  #whole: IndexBuilder | undefined = new IndexBuilder();
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
    this.#id = folder.idOf(folder.segment(number));
  }

  /** Takes the next free number. Whoever creates the segment's file owns it. The marker says that a process writes to it. */
  static open(folder: StoreFolder): SegmentWriter {
    for (let { next: number } = folder.content(); ; number++) {
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
        folder.remove(folder.index(number)); // an index that outlived its segment in a power cut
        return new SegmentWriter(folder, number, file, folder.fileSystem.open(folder.index(number), 'wx', 0o600));
      } catch (error) {
        file.close();
        throw error;
      }
    }
  }

  /** false: somebody has removed its file. */
  get isThere(): boolean {
    return this.#folder.idOf(this.#folder.segment(this.number)) === this.#id;
  }

  get end(): number {
    return this.#end;
  }

  /** Bytes not written yet. */
  get backlog(): number {
    return this.#end - this.#written;
  }

  /** Takes a record and returns the length of its member. */
  add(content: Buffer, deflate: boolean): number {
    const length = addMember(this.#waiting, content, deflate);
    this.#end += length;
    return length;
  }

  /** Takes the entry of a record. `name`: its operation's. */
  addEntry(entry: StoreEntry, name: string): void {
    this.#entries.add(entry, name);
    if (this.#end > fewBytes) this.#whole = undefined;
    this.#whole?.add(entry, name);
  }

  /** A copy of a member that may not be written yet. undefined if it is. */
  member(offset: number, length: number): Buffer | undefined {
    const waitingAt = this.#end - this.#waiting.length;
    const isWaiting = offset >= waitingAt;
    const at = offset - (isWaiting ? waitingAt : waitingAt - this.#writing.length);
    return at < 0 ? undefined : Buffer.from((isWaiting ? this.#waiting : this.#writing).content.subarray(at, at + length));
  }

  /** Whether some member didn't reach the file. */
  lacks(offset: number): boolean {
    return this.#closed && offset >= this.#written;
  }

  /** Writes everything taken. One call at a time. */
  async write(): Promise<void> {
    [this.#writing, this.#waiting] = [this.#waiting, this.#writing];
    const [bytes, entries] = [this.#writing.content, this.#entries.take()];
    this.#writes++;
    await writeAll(this.#file, bytes, this.#written);
    this.#written += bytes.length;
    await writeAll(this.#index, entries, this.#indexEnd);
    this.#indexEnd += entries.length;
    if (this.#writing.capacity > maxBatchBytes) this.#writing = new ByteBuffer(batchBytes);
    this.#writing.clear();
  }

  /** Makes the segment safe from a power cut. The index isn't, because it can be made again. */
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
    if (whole && this.#writes > 1) this.#replaceIndex();
    this.#folder.discard(this.#folder.marker(this.number));
  }

  #replaceIndex(): void {
    const whole = this.#whole?.take();
    if (whole !== undefined) tryOnDisk(() => this.#folder.replace(this.#folder.index(this.number), whole)); // what is there is good, too
  }
}

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

/*
 * An index file is a head of 16 bytes and frames: kind, length and CRC-32 of what follows, 4 bytes each, then the entries
 * of a batch, or the name of an operation padded with zeros. Numbers are as the machine writes them; the head tells, so
 * that an index of another machine's byte order counts as missing and is made again.
 */
export const indexHead: Buffer = Buffer.concat([Buffer.from('TRAWLIDX'), Buffer.from(Uint32Array.of(1, 0).buffer)]);

type IndexFrame = { readonly kind: 'operation'; readonly name: string } | { readonly kind: 'entries'; readonly words: Uint32Array };

const frameHeadBytes = 12;
const kinds = { operation: 1, entries: 2 } as const;

function encodeFrame(frame: IndexFrame): Buffer {
  const content = frame.kind === 'operation' ? padded(Buffer.from(frame.name)) : bytesOf(frame.words);
  return Buffer.concat([bytesOf(Uint32Array.of(kinds[frame.kind], content.length, crc32(content))), content]);
}

/** Reads whole frames. `bytes` starts with a frame. `end` is where the first incomplete one starts. */
export function decodeFrames(bytes: Buffer): { readonly frames: IndexFrame[]; readonly end: number } {
  const frames: IndexFrame[] = [];
  let end = 0;
  while (end + frameHeadBytes <= bytes.length) {
    const [kind, length, sum] = wordsOf(bytes.subarray(end, end + frameHeadBytes));
    const content = bytes.subarray(end + frameHeadBytes, end + frameHeadBytes + length!);
    if (content.length !== length || length % 4 !== 0 || crc32(content) !== sum) break;
    if (kind === kinds.operation) frames.push({ kind: 'operation', name: content.toString().replace(/\0+$/, '') });
    else if (kind === kinds.entries && length % (entryWords * 4) === 0) frames.push({ kind: 'entries', words: wordsOf(content) });
    else break;
    end += frameHeadBytes + length;
  }
  return { frames, end };
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

function bytesOf(words: Uint32Array): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength);
}

function wordsOf(bytes: Buffer): Uint32Array {
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return new Uint32Array(new Uint8Array(bytes).buffer);
}
