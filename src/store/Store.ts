import { resolve } from 'node:path';
import { type FileSystem, sinkFailure, tryOnDisk } from '../files/FileSystem.ts';
import type { Finding, ResponseStore, StoredResponse, StoreRequest } from '../contract/index.ts';
import { SinkError } from '../errors/index.ts';
import { Reservations, perFolder } from './Reservations.ts';
import { sha1 } from './digest.ts';
import { entryOf, isLoopback } from './scanSegment.ts';
import { EntryTable, type EntryRef, maxOperations } from './EntryTable.ts';
import { gone, StoredRecords } from './StoredRecords.ts';
import { StoreFolder } from './StoreFolder.ts';
import { StoreWriter } from './StoreWriter.ts';
import { encodeRecord, type WarcRecord } from './warcRecord.ts';
import { randomUUID } from 'node:crypto';

export type StoreMode = ResponseStore['mode'];

interface StoreSettings {
  readonly mode: StoreMode;
  /** By operation. `*` is for the others. */
  readonly maxAgeMs: { readonly [operation: string]: number };
  readonly segmentBytes: number;
  readonly syncMs: number;
  readonly now: () => number;
  readonly fileSystem: FileSystem;
}

const miss: Finding = { kind: 'miss' };
/** After a miss, new entries of other processes are looked for at most this often. */
const readAgainMs = 50;

/** The stores of this process on one folder: what one has just stored isn't on disk yet. */
const storesOn = perFolder(() => new Set<Store>());

/** Responses in a folder. Made by `openStore`. */
export class Store implements ResponseStore, AsyncDisposable {
  readonly folder: string;
  readonly mode: StoreMode;
  readonly #settings: StoreSettings;
  readonly #files: StoreFolder;
  readonly #table = new EntryTable();
  readonly #names = new OperationNames();
  readonly #records: StoredRecords;
  readonly #hits: HitCounts;
  readonly #writer: StoreWriter;
  readonly #reservations: Reservations;
  /** The stores of this process on the same folder, this one included. */
  readonly #beside: Set<Store>;
  #notices: string[] = [];
  #readAt = 0;
  /** Its folder couldn't be read. */
  #isBlind = false;
  #isClosed = false;
  /** Something was to be stored after it was closed. */
  #tooLate: SinkError | undefined;

  constructor(folder: string, settings: StoreSettings) {
    this.folder = folder;
    this.mode = settings.mode;
    this.#settings = settings;
    this.#files = new StoreFolder(resolve(folder), settings.fileSystem);
    this.#reservations = new Reservations(this.#files);
    this.#beside = storesOn(this.#files);
    this.#hits = new HitCounts(this.#files);
    this.#writer = new StoreWriter(this.#files, {
      ...settings,
      synced: () => this.#hits.note(),
      writing: () => this.#reservations.writing(),
      lost: (segment) => this.#lose(segment),
    });
    this.#records = new StoredRecords(this.#files, this.#table, this.#writer);
    if (this.mode === 'replay' && !this.#files.exists) throw new SinkError(`${folder}: no stored responses are there; record some first`);
    try {
      this.#readNew();
    } catch (error) {
      throw sinkFailure(folder, 'opening the store', error);
    }
  }

  /** Stored responses. */
  get size(): number {
    return this.#table.size;
  }

  /** Memory used by the entries, in bytes. */
  get memoryBytes(): number {
    return this.#table.memoryBytes;
  }

  /** Bytes waiting to be written. */
  get backlog(): number {
    return this.#writer.backlog;
  }

  /** Why nothing more is stored, such as a full disk. Responses stored before are still found. */
  get failure(): Error | undefined {
    return this.#writer.failure ?? this.#tooLate;
  }

  /** Whether a response is stored and not too old, without reading it. */
  has(request: StoreRequest): boolean {
    return this.#entryOf(request, sha1(storeKey(request))) !== undefined;
  }

  /** The response to a request. In mode `record` there is none, because everything is requested. */
  find(request: StoreRequest, age?: 'any'): Finding {
    if (this.mode === 'record') return miss;
    const text = storeKey(request);
    const key = sha1(text);
    let entry = this.#entryOf(request, key, this, age);
    if (entry === undefined && this.#readAgain()) entry = this.#entryOf(request, key, this, age);
    let damage: string | undefined;
    for (; entry !== undefined; entry = this.#entryOf(request, key, this, age)) {
      const record = recordOrWhy(this.#records, entry);
      if (typeof record !== 'string' && record.key === text && record.at === entry.at) {
        if (this.mode === 'reuse' && age === undefined) this.#hits.add(this.#names.nameOf(entry.operation));
        const hit = hitOf(record);
        return damage === undefined ? hit : { ...hit, damage };
      }
      if (record === gone) {
        this.forget(entry.segment);
        this.#readAgain(-Infinity);
        // Where another process has pruned the store, the response is in another segment now.
        if (this.#entryOf(request, key, this, age) === undefined) this.#tellGone(entry.segment);
        continue;
      }
      if (typeof record === 'string') damage ??= this.#tell(entry, record);
      this.#table.drop(entry.segment, entry.offset);
    }
    return this.#findBeside(request, key, text, age) ?? (damage === undefined ? miss : { kind: 'miss', damage });
  }

  /**
   * Says that a request is about to be sent. false: somebody else who shares the store is sending it, or has stored its
   * response since `since`, in milliseconds since 1970.
   */
  reserve(request: StoreRequest, since: number): boolean {
    if (this.mode !== 'reuse' || this.#isClosed || this.failure !== undefined) return true;
    const key = sha1(storeKey(request));
    const isStored = (): boolean =>
      [this, ...this.#beside].some((store) => {
        const entry = this.#entryOf(request, key, store);
        return entry !== undefined && entry.at >= since;
      });
    this.#readAgain();
    if (isStored() || !this.#reservations.take(reservationOf(request))) return false;
    if (!this.#reservations.shared) return true;
    this.#readAgain(-Infinity); // a process that ended its reservation just now had stored the response before
    if (!isStored()) return true;
    this.release(request);
    return false;
  }

  /** The request that was reserved is over. */
  release(request: StoreRequest): void {
    this.#reservations.drop(reservationOf(request), this.has(request));
  }

  /** What happened to the store since the last call, in words. */
  takeNotices(): readonly string[] {
    return this.#notices.length === 0 ? this.#notices : this.#notices.splice(0);
  }

  /** Stores a response. It can be found at once, and is safe from a power cut when the next `sync` is done. */
  keep(request: StoreRequest, response: StoredResponse): void {
    if (this.mode !== 'replay') this.put(request, response, this.#settings.now());
  }

  /** The same with the time at which it arrived. */
  put(request: StoreRequest, response: StoredResponse, at: number): void {
    if (this.#isClosed)
      this.#tooLate ??= new SinkError(`${this.folder}: the store is closed, so nothing more is stored. Close clients first`);
    if (this.failure !== undefined) return;
    try {
      this.#put(request, response, at);
    } catch (error) {
      this.#writer.fail(error);
    }
  }

  /** Resolves when everything stored until now is safe on disk. Rejects if some of it couldn't be written. */
  async sync(): Promise<void> {
    await this.#writer.sync();
    this.#hits.note();
    if (this.failure !== undefined) throw this.failure;
  }

  /** Saves everything and closes all files. Nothing can be stored afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    try {
      await this.sync();
    } finally {
      await this.#writer.close();
      this.#reservations.close();
      this.#beside.delete(this);
      this.#records.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** All current responses: the newest of each request. */
  current(): Iterable<EntryRef> {
    return this.#table.current();
  }

  /** A record with its body, or what is wrong with it. */
  read(entry: EntryRef): WarcRecord | string {
    return this.#records.whole(entry);
  }

  /** The `service` and `operation` of an entry. */
  nameOf({ operation }: EntryRef): { readonly service: string; readonly operation: string } {
    const [service, name] = this.#names.nameOf(operation).split('/') as [string, string];
    return { service, operation: name };
  }

  /** Removes all entries of a segment. */
  forget(segment: number): void {
    this.#table.dropSegment(segment);
  }

  /** What another store of this process has stored, and this one hasn't read yet. */
  #findBeside(request: StoreRequest, key: Buffer, text: string, age?: 'any'): Finding | undefined {
    for (const store of this.#beside) {
      const entry = store === this ? undefined : this.#entryOf(request, key, store, age);
      const record = entry === undefined ? gone : recordOrWhy(store.#records, entry);
      if (typeof record !== 'string' && record.key === text) return hitOf(record);
    }
    return undefined;
  }

  /** The position of a response in a store on this folder, if it isn't too old for this one. */
  #entryOf({ operation, url }: StoreRequest, key: Buffer, store: Store = this, age?: 'any'): EntryRef | undefined {
    const entry = url === '' ? store.#newest(key) : store.#table.find(key, isLoopback(url));
    if (entry === undefined || age === 'any') return entry;
    const { maxAgeMs, now } = this.#settings;
    const maxAge = maxAgeMs[operation] ?? maxAgeMs['*'] ?? Infinity;
    return maxAge !== Infinity && now() - entry.at > maxAge ? undefined : entry;
  }

  /** The newest entry of a key, wherever it came from. */
  #newest(key: Buffer): EntryRef | undefined {
    const [there, here] = [this.#table.find(key, false), this.#table.find(key, true)];
    return (here?.at ?? -Infinity) > (there?.at ?? -Infinity) ? here : there;
  }

  #put(request: StoreRequest, response: StoredResponse, at: number): void {
    const writer = this.#writer.take(at);
    this.#beside.add(this);
    const text = storeKey(request);
    const payload = sha1(response.body);
    const original = this.#records.withBody(payload, response.body);
    const type = original === undefined ? 'response' : 'revisit';
    const { status, headers, body } = response;
    const record: WarcRecord = { type, key: text, url: request.url, at, status, headers, body, payload };
    const offset = writer.end;
    const content = encodeRecord(record, `${writer.number} ${offset}`, original);
    const encoding = headers['content-encoding'];
    const packed = encoding !== undefined && encoding !== 'identity';
    const name = `${request.service}/${request.operation}`;
    const length = writer.add(content, !packed && type === 'response');
    const entry = { ...entryOf(record, writer.number, offset, length), operation: this.#names.numberOf(name) };
    writer.addEntry(entry, name);
    this.#records.segment(writer.number).covers(writer.end);
    this.#table.add(entry);
  }

  #tell({ segment, offset }: EntryRef, what: string): string {
    return `${this.#files.segment(segment)}, record at byte ${offset}: ${what}`;
  }

  /** The segment that it wrote to was removed. */
  #lose(segment: number): void {
    this.forget(segment);
    this.#tellGone(segment);
  }

  #tellGone(segment: number): void {
    this.#notices.push(`${this.#files.segment(segment)} is gone: it was removed during the run. What was stored there is requested again`);
  }

  /** Reads what other processes have stored since. */
  #readNew(): void {
    this.#readAt = performance.now();
    const { segments, live, ...content } = this.#files.content();
    if (this.mode === 'reuse') this.#reservations.heed(content);
    const numberOf = (name: string): number => this.#names.numberOf(name);
    for (const number of segments) {
      if (this.#writer.of(number) === undefined) this.#records.load(number, numberOf, this.mode !== 'replay' && !live.has(number));
    }
  }

  /** Nothing depends on what others have stored, so a folder that can't be read any more is only told of. */
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

/** A record with its body, or why it can't be used: what is wrong with it, or with the disk. */
function recordOrWhy(records: StoredRecords, entry: EntryRef): WarcRecord | string {
  try {
    return records.whole(entry);
  } catch (error) {
    return `it can't be read: ${(error as Error).message}`;
  }
}

function hitOf({ status, headers, body, at, url }: WarcRecord): Finding & { readonly kind: 'hit' } {
  return { kind: 'hit', response: { status, headers, body }, at, url };
}

/** The key of a response. */
function storeKey({ service, operation, query }: StoreRequest): string {
  return `${service}/${operation}?${query}`;
}

/** What identifies a request in flight. Responses from this machine and others have separate entries. */
function reservationOf(request: StoreRequest): Buffer {
  return sha1(`${isLoopback(request.url) ? 'here' : 'there'} ${storeKey(request)}`);
}

/** The names of a store's operations, `service/operation`, by the numbers that its entries have. */
class OperationNames {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];

  numberOf(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      if (this.#names.length === maxOperations) throw new RangeError(`a store holds at most ${maxOperations} operations`);
      this.#numbers.set(name, (number = this.#names.push(name) - 1));
    }
    return number;
  }

  nameOf(number: number): string {
    return this.#names[number]!;
  }
}

/** What a store has saved, by `service/operation`: noted in a file of this process's own. */
class HitCounts {
  readonly #files: StoreFolder;
  readonly #counts = new Map<string, number>();
  #file: string | undefined;
  #noted = true;

  constructor(files: StoreFolder) {
    this.#files = files;
  }

  add(operation: string): void {
    this.#counts.set(operation, (this.#counts.get(operation) ?? 0) + 1);
    this.#noted = false;
  }

  /** Never fails, because a lost count doesn't matter. */
  note(): void {
    if (this.#noted) return;
    this.#noted = true;
    const bytes = Buffer.from(`${JSON.stringify(Object.fromEntries(this.#counts))}\n`);
    const file = (this.#file ??= this.#files.at(`hits-${randomUUID()}.json`));
    tryOnDisk(() => this.#files.replace(file, bytes));
  }
}
