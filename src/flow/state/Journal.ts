import { crc32 } from 'node:zlib';
import type { FileSystem, OpenFile } from '../../sinks/index.ts';
import { writeAll, writeAllSync } from '../../files/blocks.ts';
import { sinkFailure } from '../../files/FileSystem.ts';
import { readLines } from './readRows.ts';
import { isUnsynced, type CommitRecord, type FlowEvent, type JournalRecord, journalVersion } from '../core/events.ts';
import { ByteBuffer } from '../../files/ByteBuffer.ts';
import { isObject } from '../../../operators/kit/ownValue.ts';

/** What follows the last readable record. */
export interface JournalTail {
  /** The line that can't be read, counted from 1. */
  readonly line: number;
  /**
   * A crash cut this record off while it was written, so nothing is lost. False: the file was changed, and committed
   * records can't be used.
   */
  readonly torn: boolean;
  /** Readable records after that line. */
  readonly readable: readonly JournalRecord[];
}

/** A record without the events of a commit. */
type RecordHead = Exclude<JournalRecord, CommitRecord> | Omit<CommitRecord, 'events'>;

/** The position after a record. */
export interface JournalPosition {
  readonly seq: number;
  readonly end: number;
}

/**
 * A file of records, one per line. Each has a number and a checksum, which reveal torn and lost lines. A record
 * survives a power cut once `append` has resolved.
 */
export class Journal {
  readonly #path: string;
  readonly #file: OpenFile;
  #end = 0;
  #seq = 0;
  /** The last records may be lost in a power cut. */
  #isUnsynced = false;
  #failure: Error | undefined;

  private constructor(path: string, file: OpenFile) {
    this.#path = path;
    this.#file = file;
  }

  /** The next record's number, which is the number of records. */
  get seq(): number {
    return this.#seq;
  }

  /** Makes the file if it doesn't exist. Reads nothing yet. */
  static open(path: string, fileSystem: FileSystem): Journal {
    return new Journal(path, fileSystem.open(path, fileSystem.stat(path) === undefined ? 'wx' : 'r+', 0o600));
  }

  /** Reads the records in order, up to the first that is torn, changed or out of sequence. Changes nothing. */
  async replay(take: (record: JournalRecord, position: JournalPosition) => void): Promise<JournalTail | undefined> {
    this.#end = 0;
    this.#seq = 0;
    let good = true;
    let line = 0;
    let rubbish = '';
    const readable: JournalRecord[] = [];
    for await (const { bytes, at, whole } of readLines(this.#file)) {
      const text = bytes.toString();
      const decoded = whole ? decodeJournalLine(text) : undefined;
      if (good && decoded?.seq === this.#seq) {
        this.#seq += 1;
        this.#end = at + bytes.length + 1;
        this.#isUnsynced = isUnsynced(decoded.record);
        take(decoded.record, { seq: this.#seq, end: this.#end });
        continue;
      }
      if (good) line = this.#seq + 1;
      if (good && whole) rubbish = text;
      good = false;
      const later = decoded ?? (whole ? undefined : decodeJournalLine(text.slice(0, -1))); // its line feed may have been changed
      if (later !== undefined) readable.push(later.record);
    }
    if (good) return undefined;
    // JSON has no NUL. If there is one, or no line feed, the record never reached the disk completely.
    const torn = readable.every(isUnsynced) && (rubbish === '' || rubbish.includes('\0'));
    return { line, torn, readable };
  }

  /** Cuts the file off at a position, by default after the last record read. */
  async cut(position: JournalPosition = { seq: this.#seq, end: this.#end }): Promise<void> {
    this.#seq = position.seq;
    this.#end = position.end;
    if (this.#file.size() === this.#end) return;
    this.#file.truncate(this.#end);
    await this.#file.datasync();
  }

  /**
   * Writes a record and waits until it is on disk. `events`: those of a commit, as text. Returns its number. Nothing is retried
   * after an error.
   */
  async append(record: RecordHead, events?: Uint8Array): Promise<number> {
    if (this.#failure !== undefined) throw this.#failure;
    const seq = this.#seq;
    const bytes = encode(record, events, seq);
    try {
      // Sync earlier records first. If one of them got lost and this one did not, the gap would look like damage.
      if (this.#isUnsynced) await this.#file.datasync();
      this.#isUnsynced = false;
      await writeAll(this.#file, bytes, this.#end);
      await this.#file.datasync();
    } catch (error) {
      throw (this.#failure = sinkFailure(this.#path, 'writing', error));
    }
    this.#end += bytes.length;
    this.#seq += 1;
    return seq;
  }

  /** Writes a commit without a sync. It is safe from a power cut when a later record is. */
  note(record: Omit<CommitRecord, 'events'>, events: Uint8Array): void {
    if (this.#failure !== undefined) throw this.#failure;
    const bytes = encode(record, events, this.#seq);
    try {
      writeAllSync(this.#file, bytes, this.#end);
    } catch (error) {
      throw (this.#failure = sinkFailure(this.#path, 'writing', error));
    }
    this.#isUnsynced = true;
    this.#end += bytes.length;
    this.#seq += 1;
  }

  /** Syncs the file. The process that wrote it may have been killed before it did so. */
  async sync(): Promise<void> {
    await this.#file.datasync();
  }

  close(): void {
    this.#file.close();
  }
}

/** Each line ends with its checksum, `,"crc":"01234567"}`. */
const tailLength = 18;
const closingBracket = 93;

function encode(record: RecordHead, events: Uint8Array | undefined, seq: number): Buffer {
  const head = `{"seq":${seq},${JSON.stringify(record).slice(1, -1)}${events === undefined ? '' : ',"events":['}`;
  const eventsAt = Buffer.byteLength(head);
  const end = events === undefined ? eventsAt : eventsAt + events.length + 1;
  const line = Buffer.allocUnsafe(end + tailLength + 1);
  line.write(head);
  if (events !== undefined) {
    line.set(events, eventsAt);
    line[end - 1] = closingBracket;
  }
  const crc = crc32(line.subarray(0, end)).toString(16).padStart(8, '0');
  line.write(`,"crc":"${crc}"}\n`, end);
  return line;
}

/** Reads a line. undefined: it is torn or was changed. Accepts CR LF, in case an editor or a copy changed the line ends. */
function decodeJournalLine(line: string): { readonly seq: number; readonly record: JournalRecord } | undefined {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  const tail = /^,"crc":"([0-9a-f]{8})"\}$/.exec(text.slice(-tailLength));
  if (tail === null || crc32(text.slice(0, -tailLength)) !== Number.parseInt(tail[1]!, 16)) return undefined;
  const record: unknown = JSON.parse(text);
  return isJournalRecord(record) ? { seq: (record as JournalRecord & { readonly seq: number }).seq, record } : undefined;
}

const firstBytes = 1024;

/** The events of the next commit, as the text for the journal. Kept as objects, they would fill the heap of a long run. */
export class PendingEvents {
  /** The number of decisions that led to them. */
  count = 0;
  pages = 0;
  rows = 0;
  #events = 0;
  readonly #text = new ByteBuffer(firstBytes);

  /** The elements of a JSON list. */
  get text(): Buffer {
    return this.#text.content;
  }

  /** Adds an event. Returns it as it will be read from the journal, so that both give the same state. */
  add(event: FlowEvent): FlowEvent {
    const text = JSON.stringify(event);
    this.#text.addText(this.#events++ > 0 ? `,${text}` : text);
    if (event.type === 'PageTaken') {
      this.pages += 1;
      this.rows += event.written;
    }
    return JSON.parse(text) as FlowEvent;
  }
}

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

type Fields = { readonly [name: string]: unknown };

const isNumber = Number.isFinite; // 1e999 is JSON, too
const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => isNumber(value) && (value as number) >= 0;
const isList = (value: unknown, isElement: (element: unknown) => boolean): boolean => Array.isArray(value) && value.every(isElement);
const isPosition = (value: unknown): value is Fields => isObject(value) && isCount(value['bytes']) && isCount(value['rows']);
const isFound = (value: unknown): boolean => isList(value, (one) => Array.isArray(one) && one.length >= 2);
const isNamed = ({ name, message }: Fields): boolean => isText(name) && isText(message);
const isFailure = (value: unknown): boolean => isObject(value) && isNamed(value);

/** What an event must have. */
const events: { readonly [type in FlowEvent['type']]: (event: Fields) => boolean } = {
  SeedsRead: ({ stage, position, crc }) => isCount(stage) && isCount(position) && isNumber(crc),
  AreasFound: ({ areas }) => isFound(areas),
  QueriesFound: ({ found }) => isFound(found),
  QueriesUnchanged: ({ unchanged }) => isFound(unchanged),
  PageTaken: ({ query, received, written }) => isCount(query) && isCount(received) && isCount(written),
  TileSearched: ({ query, at, spots, rows, ends }) =>
    isCount(query) && isNumber(at) && isText(spots) && isCount(rows) && (ends === undefined || isEvent(ends)),
  WatermarkMoved: ({ query, newest }) => isCount(query) && Number.isFinite(newest),
  WalkMoved: ({ query, move }) => isCount(query) && isObject(move),
  WalkRestarted: ({ query }) => isCount(query),
  JobStarted: ({ query, address }) => isCount(query) && isText(address),
  QueryPostponed: ({ query }) => isCount(query),
  QueryHanded: ({ query, to }) => isCount(query) && isCount(to),
  QueryEnded: ({ query, as, rows }) => isCount(query) && isText(as) && isCount(rows),
  QueryFailed: ({ query, failure, got }) => isCount(query) && isFailure(failure) && isCount(got),
};

/** What a record must have. */
const records: { readonly [type in JournalRecord['type']]: (record: Fields) => boolean } = {
  flow: ({ version, name, digest, at, outputs }) =>
    isNumber(version) && isText(name) && isText(digest) && isNumber(at) && isList(outputs, isText),
  commit: ({ at, files, events: all, requests }) =>
    isNumber(at) && isObject(files) && Object.values(files).every(isPosition) && isList(all, isEvent) && isNumber(requests),
  finish: ({ at, files }) => isNumber(at) && isList(files, (file) => isPosition(file) && isText(file['path'])),
  reopen: ({ at }) => isNumber(at),
};

/**
 * Whether a line of a journal, with a right checksum, is a record of this version. A record of another version may differ. Then the error
 * names the versions.
 */
export function isJournalRecord(value: unknown): value is JournalRecord {
  if (!isObject(value)) return false;
  return (value['type'] === 'flow' && value['version'] !== journalVersion) || isOneOf(records, value['type'], value);
}

function isEvent(value: unknown): boolean {
  return isObject(value) && isOneOf(events, value['type'], value);
}

function isOneOf(kinds: { readonly [kind: string]: (fields: Fields) => boolean }, kind: unknown, fields: Fields): boolean {
  return typeof kind === 'string' && Object.hasOwn(kinds, kind) && kinds[kind]!(fields);
}
