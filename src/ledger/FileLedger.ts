import { dirname, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { getOrInsert } from '../../operators/kit/once.ts';
import { readAll, readUpTo } from '../files/blocks.ts';
import { type FileSystem, type OpenFile, sinkFailure } from '../files/FileSystem.ts';
import { replaceFile } from '../files/publish.ts';
import { applyEntry, fromJson, startBalance, toJson, type Balance, type Grant, type LedgerEntry, type Settled } from './Balance.ts';
import { DamagedLedger, type SpendLedger } from './SpendLedger.ts';

/** How many entries of a writer are booked, and what is reserved for it. */
interface Writer {
  entries: number;
  requests: number;
  money: bigint;
}

type Visit = (entry: LedgerEntry, grant: Grant, at: number) => void;

/** Written by a repair in place of a balance: lines before it are lost, so no balance knows its limits. */
const allBalances = '*';
/** How often to look again for the rest of an incomplete last line, which another process may be writing. */
const looks = 5;
const lookMs = 20;

/**
 * A ledger in a file on a local disk. Each entry is a line with its checksum. There is no lock: the system appends each line as a
 * whole, so the file has one order, and all processes that read it compute the same grants. A process that is killed leaves nothing to
 * clean up.
 */
export class FileLedger implements SpendLedger {
  readonly name: string;
  readonly #fileSystem: FileSystem;
  #file: OpenFile | undefined;
  #fileId: string | undefined;
  #balances = new Map<string, Balance>();
  #writers = new Map<string, Writer>();
  #lacksLimits = false;
  #lines = 0;
  /** Offset of the next line. */
  #at = 0;

  constructor(path: string, fileSystem: FileSystem) {
    this.name = resolve(path);
    this.#fileSystem = fileSystem;
  }

  async book(entry: LedgerEntry): Promise<Grant> {
    let grant: Grant | undefined;
    const visit: Visit = (found, given) => {
      if (found.id === entry.id) grant = given;
    };
    try {
      const file = await this.#ready(visit);
      const isNew = this.#at === 0;
      append(file, encode(entry));
      this.#read(visit);
      if (grant === undefined) throw new Error('the line that was written is not there');
      await file.datasync();
      if (isNew) await this.#fileSystem.syncFolder(dirname(this.name)); // the file may be new
      return grant;
    } catch (error) {
      await this.close(); // after a failed sync, the content of the open file is unknown
      throw sinkFailure(this.name, 'writing the ledger', error);
    }
  }

  async balances(): Promise<ReadonlyMap<string, Balance>> {
    if (this.#fileSystem.stat(this.name) !== undefined) await this.#ready();
    return this.#balances;
  }

  async each(since: number, visit: (entry: LedgerEntry) => void): Promise<void> {
    await this.close();
    if (this.#fileSystem.stat(this.name) === undefined) return;
    await this.#ready((entry, _, at) => {
      if (at >= since) visit({ ...entry, at });
    });
  }

  close(): Promise<void> {
    this.#file?.close();
    this.#file = undefined;
    return Promise.resolve();
  }

  /** Opens the file and applies all its lines. Throws if one is damaged. */
  async #ready(visit: Visit = () => undefined): Promise<OpenFile> {
    for (let look = 0; ; look += 1) {
      const file = this.#open();
      if (this.#read(visit) === 0) return file;
      if (look === looks) throw damaged(this.name, this.#lines + 1);
      await new Promise<void>((later) => this.#fileSystem.process.after(lookMs, later));
    }
  }

  /** Opens the file. If a repair has replaced it, opens the new one, and starts over. */
  #open(): OpenFile {
    const id = this.#fileSystem.stat(this.name)?.id;
    if (this.#file !== undefined && id !== undefined && id === this.#fileId) return this.#file;
    this.#file?.close();
    this.#balances = new Map();
    this.#writers = new Map();
    this.#lacksLimits = false;
    this.#lines = this.#at = 0;
    this.#file = this.#fileSystem.open(this.name, 'a', 0o600);
    this.#fileId = this.#fileSystem.stat(this.name)?.id;
    return this.#file;
  }

  /** Applies the lines that are new. Returns the number of bytes after them, which are an incomplete line. */
  #read(visit: Visit): number {
    const file = this.#file!;
    const bytes = readUpTo(file, this.#at, Math.max(0, file.size() - this.#at));
    for (const { line, size } of linesOf(bytes)) {
      const entry = decode(line);
      if (entry === undefined) throw damaged(this.name, this.#lines + 1);
      this.#lines += 1;
      this.#at += size;
      this.#apply(entry, visit);
    }
    return bytes.length - (bytes.lastIndexOf('\n') + 1);
  }

  #apply(entry: LedgerEntry, visit: Visit): void {
    const [, name, number] = /^(.*)\.(\d+)$/.exec(entry.id)!;
    const writer = getOrInsert(this.#writers, name!, () => ({ entries: 0, requests: 0, money: 0n }));
    if (Number(number) <= writer.entries) return;
    // A repair has lost a line of this writer, which may have settled what is reserved. So that stays spent.
    if (Number(number) > writer.entries + 1) Object.assign(writer, { requests: 0, money: 0n });
    writer.entries = Number(number);
    if (entry.balance === allBalances) {
      this.#lacksLimits = true;
      for (const balance of this.#balances.values()) balance.lacksLimit = true;
      return;
    }
    const balance = getOrInsert(this.#balances, entry.balance, () => ({
      ...startBalance(),
      ...(this.#lacksLimits && { lacksLimit: true }),
    }));
    const { settled, ask } = entry;
    const grant = applyEntry(balance, settled === undefined ? entry : { ...entry, settled: settleFor(writer, settled) });
    writer.requests += grant.requests;
    writer.money += BigInt(grant.requests) * (ask?.price ?? 0n);
    visit(entry, grant, balance.at);
  }
}

/** Takes what is settled from what is reserved for its writer. Anything beyond that was reserved in a lost line, so it counts now. */
function settleFor(writer: Writer, settled: Settled): Settled {
  let [requests, money] = [settled.requests - writer.requests, settled.money - settled.owed - writer.money];
  for (const one of settled.spent) {
    requests += one.requests;
    money += one.money;
  }
  Object.assign(writer, { requests: Math.max(-requests, 0), money: money < 0n ? -money : 0n });
  return { ...settled, requests: settled.requests - Math.max(requests, 0), money: settled.money - (money > 0n ? money : 0n) };
}

/** What a repair did: the numbers of the lines that are lost, and the path of a copy that still has them. */
export interface LedgerRepair {
  readonly lost: readonly number[];
  readonly copy?: string | undefined;
}

/**
 * Keeps the valid lines of a damaged ledger. After that nothing is granted until somebody sets a limit, because a lost line may have
 * set one. The damaged file is kept beside it.
 */
export async function repairFile(
  path: string,
  writer: Pick<LedgerEntry, 'id' | 'at' | 'who'>,
  fileSystem: FileSystem,
): Promise<LedgerRepair> {
  const bytes = readAll(path, fileSystem);
  const kept: Buffer[] = [];
  const lost: number[] = [];
  let number = 0;
  for (const { line, size } of [...linesOf(bytes), restOf(bytes)]) {
    number += 1;
    if (decode(line) !== undefined) kept.push(encodeText(line));
    else if (size > 0) lost.push(number);
  }
  if (lost.length === 0) return { lost };
  const stamp = new Date(writer.at).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const copy = `${path}.damaged-${stamp}`;
  fileSystem.link(path, copy);
  await replaceFile(path, [...kept, encode({ ...writer, balance: allBalances })], 0o600, fileSystem);
  return { lost, copy };
}

/** Appends a line. If the disk takes only a part of it, that part is removed again, and it throws. */
function append(file: OpenFile, line: Buffer): void {
  const end = file.size();
  const written = file.writeSync(line, 0, line.length, 0);
  if (written === line.length) return;
  if (file.size() === end + written) file.truncate(end);
  throw Object.assign(new Error('only a part was written'), { code: 'ENOSPC' });
}

function damaged(name: string, line: number): DamagedLedger {
  const repair = 'trawler spend repair keeps the other lines, and asks for the limits again';
  return new DamagedLedger(`${name}: line ${line} of the ledger is damaged, so its limits and sums are unknown. ${repair}`);
}

/** The lines that end with a line feed, and their sizes in bytes. */
function* linesOf(bytes: Buffer): Generator<{ readonly line: string; readonly size: number }, void, undefined> {
  for (let at = 0, end = bytes.indexOf('\n'); end >= 0; at = end + 1, end = bytes.indexOf('\n', at)) {
    yield { line: bytes.toString('utf8', at, end), size: end + 1 - at };
  }
}

function restOf(bytes: Buffer): { readonly line: string; readonly size: number } {
  const rest = bytes.subarray(bytes.lastIndexOf('\n') + 1);
  return { line: rest.toString(), size: rest.length };
}

/** `01234567 {…}`: the checksum of what follows it, and the entry. */
const encode = (entry: LedgerEntry): Buffer => {
  const text = toJson(entry);
  return encodeText(`${checksum(text)} ${text}`);
};
const encodeText = (line: string): Buffer => Buffer.from(`${line}\n`);
const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** Reads a line. undefined: it is damaged. */
function decode(line: string): LedgerEntry | undefined {
  const text = line.slice(9);
  return line.startsWith(`${checksum(text)} {`) ? (fromJson(text) as LedgerEntry) : undefined;
}
