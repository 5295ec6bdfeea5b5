import { basename, resolve } from 'node:path';
import { LruCache } from '../../operators/kit/LruCache.ts';
import type { Finding, ResponseStore, StoredResponse, StoreRequest } from '../contract/index.ts';
import { SinkError } from '../errors/index.ts';
import { readUpTo } from '../files/blocks.ts';
import { type FileSystem, type OpenFile, sinkFailure, tryOnDisk } from '../files/FileSystem.ts';
import { makeFolders } from '../files/publish.ts';
import { indexKey, ResponseIndex } from './ResponseIndex.ts';
import { encodeMember, type StoredEntry, memberContent, SegmentWriter } from './segment.ts';
import { StoreFolder } from './StoreFolder.ts';
import { decodeRecord, encodeInfo, encodeRecord, type WarcRecord } from './warcRecord.ts';

export type StoreMode = ResponseStore['mode'];

interface StoreSettings {
  readonly mode: StoreMode;
  /** By operation. `*` stands for all others. */
  readonly maxAgeMs: { readonly [operation: string]: number };
  readonly segmentBytes: number;
  readonly syncMs: number;
  readonly now: () => number;
  readonly fileSystem: FileSystem;
}

const miss: Finding = { kind: 'miss' };
const gone = 'it is gone';
const openFiles = 32;
/** After a miss, the folder is read again for what other processes have stored, but at most this often. */
const readAgainMs = 50;

/** Responses in a folder. Made by `openStore`. */
export class Store implements ResponseStore, AsyncDisposable {
  readonly folder: string;
  readonly mode: StoreMode;
  readonly #settings: StoreSettings;
  readonly #files: StoreFolder;
  readonly #index: ResponseIndex;
  readonly #open = new LruCache<number, OpenFile>(openFiles, (file) => file.close());
  /** The segment that new responses go to. */
  #writer: SegmentWriter | undefined;
  /** Full segments that aren't synced and closed yet. */
  #full: SegmentWriter[] = [];
  /** The segments that this object has written. It knows their entries, so it needn't read them. */
  readonly #own = new Set<number>();
  /** Folders with new names that aren't safe from a power cut yet. */
  readonly #made: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();
  #failure: SinkError | undefined;
  readonly #notices: string[] = [];
  /** Segments that were removed during the run, and for which there was a notice. */
  readonly #gone = new Set<number>();
  #readAt = 0;
  /** The folder couldn't be read, and there was a notice. */
  #isBlind = false;
  #isClosed = false;

  constructor(folder: string, settings: StoreSettings) {
    this.folder = folder;
    this.mode = settings.mode;
    this.#settings = settings;
    this.#files = new StoreFolder(resolve(folder), settings.fileSystem);
    this.#index = new ResponseIndex(this.#files);
    if (this.mode === 'replay' && !this.#files.exists) throw new SinkError(`${folder}: no stored responses are there; record some first`);
    try {
      this.#readNew();
    } catch (error) {
      throw sinkFailure(folder, 'opening the store', error);
    }
  }

  /** The number of requests that have a stored response. */
  get size(): number {
    return this.#index.size;
  }

  /** Why nothing more is stored, such as a full disk. Responses stored before are still found. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** The response to a request. In mode `record` there is none, because everything is requested. */
  find(request: StoreRequest): Finding {
    if (this.mode === 'record') return miss;
    const text = storeKey(request);
    const keys = request.url === '' ? [text, `@${text}`] : [indexKey(text, request.url)];
    const newest = (): StoredEntry | undefined => this.#notTooOld(request, this.#index.newest(keys));
    let entry = newest();
    if (entry === undefined && this.#readAgain()) entry = newest();
    let damage: string | undefined;
    for (; entry !== undefined; entry = newest()) {
      const record = this.#recordOrWhy(entry);
      if (typeof record !== 'string' && record.key === text && record.at === entry.at) {
        const { status, headers, body, at, url } = record;
        return { kind: 'hit', response: { status, headers, body }, at, url, ...(damage === undefined ? {} : { damage }) };
      }
      this.#index.drop(keys, entry);
      if (record === gone) {
        // If another process has pruned the store, the response is in another segment now.
        if (!this.#gone.has(entry.segment)) this.#readAgain(-Infinity);
        if (newest() === undefined) this.#noticeGone(entry.segment);
        continue;
      }
      const what = typeof record === 'string' ? record : 'its index names another record';
      damage ??= `${this.#files.segment(entry.segment)}, record at byte ${entry.offset}: ${what}`;
    }
    return damage === undefined ? miss : { kind: 'miss', damage };
  }

  /** Messages about what happened to the store since the last call. */
  takeNotices(): readonly string[] {
    return this.#notices.length === 0 ? this.#notices : this.#notices.splice(0);
  }

  /** Stores a response. It can be found at once, and is safe from a power cut when the next `sync` is done. */
  keep(request: StoreRequest, response: StoredResponse, at: number = this.#settings.now()): void {
    if (this.mode === 'replay') return;
    if (this.#isClosed)
      this.#failure ??= new SinkError(`${this.folder}: the store is closed, so nothing more is stored. Close clients first`);
    if (this.#failure !== undefined) return;
    try {
      this.#write(request, response, at);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Resolves when everything stored until now is safe on disk. Rejects if some of it couldn't be written. */
  async sync(): Promise<void> {
    await this.#next(() => this.#sync());
  }

  /** Syncs everything and closes all files. Nothing can be stored afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#next(async () => {
      await this.#sync();
      this.#closeWriters();
      this.#open.clear();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** All current responses, the newest of each request, in the order in which they were stored. */
  current(): readonly (readonly [key: string, entry: StoredEntry])[] {
    return [...this.#index].sort(([, a], [, b]) => a.segment - b.segment || a.offset - b.offset);
  }

  /** The record of an entry, or what is wrong with it. */
  read({ segment, offset, length }: StoredEntry): WarcRecord | string {
    const file = this.#open.peek(segment) ?? this.#files.openToRead(this.#files.segment(segment));
    if (file === undefined) return gone;
    this.#open.put(segment, file);
    const content = memberContent(readUpTo(file, offset, length));
    const record = content === undefined ? 'its bytes have changed' : decodeRecord(content);
    return record === 'digest' ? 'its digest does not match' : record === 'other' || record === 'damaged' ? 'it is no response' : record;
  }

  #recordOrWhy(entry: StoredEntry): WarcRecord | string {
    try {
      return this.read(entry);
    } catch (error) {
      return `it can't be read: ${(error as Error).message}`;
    }
  }

  #notTooOld({ operation }: StoreRequest, entry: StoredEntry | undefined): StoredEntry | undefined {
    const { maxAgeMs, now } = this.#settings;
    const maxAge = maxAgeMs[operation] ?? maxAgeMs['*'] ?? Infinity;
    return entry === undefined || maxAge === Infinity || now() - entry.at <= maxAge ? entry : undefined;
  }

  #write(request: StoreRequest, response: StoredResponse, at: number): void {
    const { segmentBytes, syncMs } = this.#settings;
    if (this.#writer !== undefined && (this.#writer.end >= segmentBytes || !this.#writer.isThere)) {
      if (!this.#writer.isThere) {
        this.#open.drop(this.#writer.number);
        this.#noticeGone(this.#writer.number);
      }
      this.#full.push(this.#writer);
      this.#writer = undefined;
    }
    const writer = (this.#writer ??= this.#begin(at));
    const text = storeKey(request);
    const { url } = request;
    const offset = writer.end;
    const encoding = response.headers['content-encoding'];
    const content = encodeRecord({ key: text, url, at, ...response }, `${writer.number} ${offset}`);
    const member = encodeMember(content, encoding === undefined || encoding === 'identity');
    const key = indexKey(text, url);
    writer.add(member, { key, at });
    this.#index.add(key, { segment: writer.number, offset, length: member.length, at });
    this.#timer ??= setTimeout(() => void this.sync().catch(() => undefined), syncMs); // see `failure`
  }

  #begin(at: number): SegmentWriter {
    this.#made.push(...makeFolders(this.#files.path, this.#files.fileSystem));
    const writer = (this.#writer = SegmentWriter.open(this.#files));
    this.#own.add(writer.number);
    writer.add(encodeMember(encodeInfo(basename(this.#files.segment(writer.number)), at), false));
    return writer;
  }

  /** Runs work after all work that came before. */
  async #next(work: () => Promise<void>): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await (this.#work = this.#work.then(work));
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Never rejects: see `failure`. */
  async #sync(): Promise<void> {
    const full = this.#full.splice(0);
    try {
      for (const folder of this.#made.splice(0)) await this.#files.fileSystem.syncFolder(folder);
      for (const writer of full) await writer.sync();
      await this.#writer?.sync();
    } catch (error) {
      this.#fail(error);
    } finally {
      for (const writer of full) tryOnDisk(() => writer.close());
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= sinkFailure(this.#files.path, 'storing responses', error);
    this.#closeWriters();
  }

  #closeWriters(): void {
    for (const writer of [...this.#full.splice(0), ...(this.#writer === undefined ? [] : [this.#writer])]) tryOnDisk(() => writer.close());
    this.#writer = undefined;
  }

  #noticeGone(segment: number): void {
    if (this.#gone.has(segment)) return;
    this.#gone.add(segment);
    this.#notices.push(`${this.#files.segment(segment)} is gone: it was removed during the run. What was stored there is requested again`);
  }

  /** Reads what other processes have stored since. */
  #readNew(): void {
    this.#readAt = performance.now();
    const { segments, live } = this.#files.content();
    for (const number of segments) if (!this.#own.has(number)) this.#index.load(number, this.mode !== 'replay' && !live.has(number));
  }

  /** Reads what others have stored, if the last time is long enough ago. If it fails, there is only a notice. Returns whether it tried. */
  #readAgain(afterMs = readAgainMs): boolean {
    if (performance.now() - this.#readAt < afterMs) return false;
    try {
      this.#readNew();
    } catch (error) {
      if (!this.#isBlind)
        this.#notices.push(`${this.folder} can't be read: ${(error as Error).message}; what others store there is not found`);
      this.#isBlind = true;
    }
    return true;
  }
}

function storeKey({ service, operation, query }: StoreRequest): string {
  return `${service}/${operation}?${query}`;
}
