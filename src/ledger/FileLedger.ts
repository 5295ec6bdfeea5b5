import { dirname, resolve } from 'node:path';
import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { readUpTo } from '../files/blocks.ts';
import { type FileSystem, type OpenFile, sinkFailure } from '../files/FileSystem.ts';
import { book, startBalance, type Balance, type Grant, type LedgerEntry } from './Balance.ts';
import type { SpendLedger } from './SpendLedger.ts';

interface Line extends LedgerEntry {
  readonly id: string;
}

/**
 * A ledger in a file on a local disk, a line for each entry. Nobody locks it: the system appends each line whole, so the file has
 * one order, and everybody who reads it comes to the same grants. A process that is killed leaves nothing behind.
 */
export class FileLedger implements SpendLedger {
  readonly name: string;
  readonly #fileSystem: FileSystem;
  readonly #id: string;
  #count = 0;
  #file: OpenFile | undefined;
  #fileId: string | undefined;
  #balances = new Map<string, Balance>();
  /** Where the next line begins. */
  #at = 0;

  constructor(path: string, fileSystem: FileSystem) {
    const { process } = fileSystem;
    this.name = resolve(path);
    this.#fileSystem = fileSystem;
    this.#id = [process.host, process.pid, process.now(), process.unique(), Math.random().toString(36).slice(2, 8)].join('.');
  }

  async book(entry: LedgerEntry): Promise<Grant> {
    const line: Line = { id: `${this.#id}.${(this.#count += 1)}`, ...entry };
    // What a full disk has cut off ends at the line feed before.
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    try {
      const file = this.#open();
      const written = file.writeSync(bytes, 0, bytes.length, 0);
      if (written < bytes.length) throw Object.assign(new Error('only a part was written'), { code: 'ENOSPC' });
      await file.datasync();
      if (this.#at === 0) await this.#fileSystem.syncFolder(dirname(this.name)); // its name may be new
      let grant: Grant | undefined;
      this.#read((found, given) => {
        if (found.id === line.id) grant = given;
      });
      if (grant === undefined) throw new Error('the line that was written is not there');
      return grant;
    } catch (error) {
      await this.close(); // once a sync has failed, the open file can't be trusted
      throw sinkFailure(this.name, 'writing the ledger', error);
    }
  }

  balances(): Promise<ReadonlyMap<string, Balance>> {
    this.#open();
    this.#read(() => undefined);
    return Promise.resolve(this.#balances);
  }

  async each(since: number, visit: (entry: LedgerEntry, added: Grant['added']) => void): Promise<void> {
    await this.close();
    this.#open();
    this.#read((entry, { added }, at) => {
      if (at >= since) visit({ ...entry, at }, added);
    });
  }

  close(): Promise<void> {
    this.#file?.close();
    this.#file = undefined;
    return Promise.resolve();
  }

  /** Opens the file, again if another one has its name, and then reads it from its beginning. */
  #open(): OpenFile {
    const id = this.#fileSystem.stat(this.name)?.id;
    if (this.#file !== undefined && id !== undefined && id === this.#fileId) return this.#file;
    this.#file?.close();
    this.#balances = new Map();
    this.#at = 0;
    this.#file = this.#fileSystem.open(this.name, 'a', 0o600);
    this.#fileId = this.#fileSystem.stat(this.name)?.id;
    return this.#file;
  }

  /** Books the lines that came since the last time. */
  #read(visit: (entry: Line, grant: Grant, at: number) => void): void {
    const file = this.#file!;
    const bytes = readUpTo(file, this.#at, Math.max(0, file.size() - this.#at));
    const end = bytes.lastIndexOf('\n') + 1;
    for (const text of bytes.toString('utf8', 0, end).split('\n')) {
      const line = parse(text);
      if (line === undefined) continue;
      const balance = this.#balances.get(line.balance) ?? startBalance();
      this.#balances.set(line.balance, balance);
      visit(line, book(balance, line), balance.at);
    }
    this.#at += end;
  }
}

/** undefined: an empty line, or what is left of one. */
function parse(text: string): Line | undefined {
  const line = parsedJson(text) as Partial<Line> | null | undefined;
  return typeof line?.id === 'string' && typeof line.balance === 'string' && typeof line.at === 'number' ? (line as Line) : undefined;
}
