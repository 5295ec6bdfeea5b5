import { crc32, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { readUpTo, writeAllSync } from '../files/blocks.ts';
import { type FileSystem, type OpenFile, systemCode } from '../files/FileSystem.ts';
import { discard } from '../files/publish.ts';
import type { StoreFolder } from './StoreFolder.ts';
import { decodeRecord, type RecordFault, type WarcRecord } from './warcRecord.ts';

/*
 * A segment has a gzip member for each record. Its index has a line for each: a CRC-32 of the rest of the line, then offset, length and
 * time of the record, then its key. A record is written to the segment first, so the index never names one that isn't there.
 */

/** Where the record of a response is. */
export interface StoredEntry {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
  /** An earlier response to the same request. It is used if this one is damaged or gone. */
  older: StoredEntry | undefined;
}

/** A line of an index. */
export interface IndexLine {
  readonly key: string;
  readonly offset: number;
  readonly length: number;
  readonly at: number;
}

/** The first bytes of every member. */
const start = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
const [headBytes, tailBytes] = [10, 8];
const windowBytes = 4 * 2 ** 20;

/** Makes a member. `pack`: compresses it. For a body that came compressed that is of no use. */
export function encodeMember(content: Buffer, pack: boolean): Buffer {
  return gzipSync(content, pack ? { level: 1 } : { level: 0, memLevel: 1, windowBits: 9 }); // with the least memory
}

/** The content of a member. undefined if it is damaged. */
export function memberContent(member: Buffer): Buffer | undefined {
  try {
    return gunzipSync(member);
  } catch {
    return undefined;
  }
}

/** A part of a segment: a record, or bytes that aren't a record of ours, and why. */
interface Stretch {
  readonly offset: number;
  readonly length: number;
  readonly found: WarcRecord | RecordFault;
}

/** Reads a segment from `from` to its end, also what follows damaged bytes. `deep`: checks digests, too. */
export function* scanSegment(file: OpenFile, from: number, deep: boolean = false): Iterable<Stretch> {
  const size = file.size();
  let [bytes, base] = [Buffer.alloc(0) as Buffer, from];
  /** The bytes from `at` on: at least `least` of them, unless the segment ends before. */
  const have = (at: number, least: number): Buffer => {
    if (at + least > base + bytes.length && base + bytes.length < size)
      [bytes, base] = [readUpTo(file, at, Math.min(Math.max(least, windowBytes), size - at)), at];
    return bytes.subarray(at - base);
  };
  let damagedFrom: number | undefined;
  for (let at = from; at < size;) {
    let rest = have(at, headBytes + tailBytes);
    let member = firstMember(rest);
    for (; member === 'cut' && at + rest.length < size; member = firstMember(rest)) rest = have(at, 4 * rest.length);
    if (typeof member === 'object') {
      if (damagedFrom !== undefined) yield { offset: damagedFrom, length: at - damagedFrom, found: 'damaged' };
      damagedFrom = undefined;
      yield { offset: at, length: member.length, found: decodeRecord(member.content, deep) };
      at += member.length;
      continue;
    }
    damagedFrom ??= at;
    rest = have(at + 1, start.length);
    const next = rest.indexOf(start);
    // a member may begin in the last bytes, so these are searched again with the bytes that follow
    at += next >= 0 ? 1 + next : Math.max(1, rest.length - start.length);
  }
  if (damagedFrom !== undefined) yield { offset: damagedFrom, length: size - damagedFrom, found: 'damaged' };
}

/** The member that the bytes begin with. `cut`: it continues after them. */
function firstMember(bytes: Buffer): { readonly content: Buffer; readonly length: number } | 'cut' | 'damaged' {
  if (!bytes.subarray(0, start.length).equals(start)) return 'damaged';
  try {
    // with `info`, zlib also says how many bytes it has read
    const { buffer, engine } = inflateRawSync(bytes.subarray(headBytes), { info: true }) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    const end = headBytes + engine.bytesWritten;
    if (end + tailBytes > bytes.length) return 'cut';
    const isWhole = bytes.readUInt32LE(end) === crc32(buffer) && bytes.readUInt32LE(end + 4) === buffer.length;
    const isRecord = isWhole && buffer.toString('latin1', 0, 5) === 'WARC/'; // a body may be a gzip member itself
    return isRecord ? { content: buffer, length: end + tailBytes } : 'damaged';
  } catch (error) {
    return systemCode(error) === 'Z_BUF_ERROR' ? 'cut' : 'damaged';
  }
}

export function encodeLine({ key, offset, length, at }: IndexLine): string {
  const line = `${offset} ${length} ${at} ${key}`;
  return `${crc32(line).toString(16).padStart(8, '0')} ${line}\n`;
}

/** Reads whole lines up to the first that is torn or damaged. `end`: where that one begins. */
export function decodeLines(bytes: Buffer): { readonly lines: IndexLine[]; readonly end: number } {
  const lines: IndexLine[] = [];
  let at = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, at)) {
    const line = bytes.subarray(at + 9, end);
    if (Number.parseInt(bytes.toString('latin1', at, at + 8), 16) !== crc32(line)) break;
    const [offset, length, time] = line.toString('latin1', 0, 60).split(' ', 3) as [string, string, string];
    const key = line.toString('utf8', offset.length + length.length + time.length + 3);
    lines.push({ key, offset: Number(offset), length: Number(length), at: Number(time) });
    at = end + 1;
  }
  return { lines, end: at };
}

/** Makes a new file. undefined if the name is taken. */
function openNew(path: string, fileSystem: FileSystem): OpenFile | undefined {
  try {
    return fileSystem.open(path, 'wx', 0o600);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** Appends to one segment and its index. Nobody else writes to them. */
export class SegmentWriter {
  readonly number: number;
  readonly #folder: StoreFolder;
  readonly #file: OpenFile;
  readonly #index: OpenFile;
  /** The id of the segment's file. */
  readonly #id: string | undefined;
  #end = 0;
  #indexEnd = 0;
  #nameSafe = false;

  private constructor(folder: StoreFolder, number: number, file: OpenFile, index: OpenFile) {
    this.#folder = folder;
    this.number = number;
    this.#file = file;
    this.#index = index;
    this.#id = folder.idOf(folder.segment(number));
  }

  /**
   * Takes the next free number. The process that makes the segment's file owns it. Before that, it makes a marker, which tells others
   * that a process writes to the segment.
   */
  static open(folder: StoreFolder): SegmentWriter {
    const { fileSystem } = folder;
    for (let { next: number } = folder.content(); ; number++) {
      const marker = openNew(folder.marker(number), fileSystem);
      if (marker === undefined) continue;
      marker.close();
      let file: OpenFile | undefined;
      try {
        file = openNew(folder.segment(number), fileSystem);
      } finally {
        if (file === undefined) discard(folder.marker(number), fileSystem);
      }
      if (file === undefined) continue;
      try {
        discard(folder.index(number), fileSystem); // an index that outlived its segment in a power cut
        return new SegmentWriter(folder, number, file, fileSystem.open(folder.index(number), 'wx', 0o600));
      } catch (error) {
        file.close();
        throw error;
      }
    }
  }

  /** false: its file was removed. */
  get isThere(): boolean {
    return this.#folder.idOf(this.#folder.segment(this.number)) === this.#id;
  }

  get end(): number {
    return this.#end;
  }

  /** Writes a member, and its line in the index if it is a response. */
  add(member: Buffer, line?: { readonly key: string; readonly at: number }): void {
    writeAllSync(this.#file, member, this.#end);
    const offset = this.#end;
    this.#end += member.length;
    if (line === undefined) return;
    const text = Buffer.from(encodeLine({ ...line, offset, length: member.length }));
    writeAllSync(this.#index, text, this.#indexEnd);
    this.#indexEnd += text.length;
  }

  /** Makes the segment safe from a power cut. The index isn't synced, because it can be made again. */
  async sync(): Promise<void> {
    if (!this.isThere) return;
    await this.#file.datasync();
    if (!this.#nameSafe) await this.#folder.fileSystem.syncFolder(this.#folder.path);
    this.#nameSafe = true;
  }

  close(): void {
    this.#file.close();
    this.#index.close();
    discard(this.#folder.marker(this.number), this.#folder.fileSystem); // if it stays, it is ignored once the process has ended
  }
}
