import { madeIn, oncePer } from '../../operators/kit/once.ts';
import { type OpenFile, tryOnDisk, type FileSystem } from '../files/FileSystem.ts';
import { readUpTo } from '../files/blocks.ts';
import type { FolderContent, StoreFolder } from './StoreFolder.ts';

/** A reservation in a file: the beginning of its key, and its state. */
const [slotBytes, keyBytes] = [16, 15];
/** `asked`: it becomes `sent` if no other process has it. */
const state = { free: 0, asked: 1, sent: 2 } as const;

/** The reservations of all stores of this process on one folder. */
const reservationsOn = perFolder(() => new Set<string>());

/**
 * The requests in flight of everybody who stores into a folder, so that none is paid for twice. Within a process they are in
 * memory. Processes that share a folder write them to a file each, which the others read before they send a request.
 */
export class Reservations {
  readonly #files: StoreFolder;
  readonly #here: Set<string>;
  /** The slots of this store's reservations in its file. */
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  /** Reservations whose responses are stored, and not written yet. They end once others can read the responses. */
  #settling = new Set<string>();
  readonly #others = new Map<string, OpenFile>();
  readonly #name: string;
  #file: OpenFile | undefined;
  /** Slots in its file. */
  #size = 0;

  constructor(files: StoreFolder) {
    this.#files = files;
    this.#name = files.reservations(files.fileSystem.process.unique());
    this.#here = reservationsOn(files);
  }

  /** Notes who else uses the folder now. */
  heed({ reservations, exists }: Pick<FolderContent, 'reservations' | 'exists'>): void {
    for (const [name, file] of this.#others) {
      if (reservations.includes(name)) continue;
      file.close();
      this.#others.delete(name);
    }
    for (const name of reservations) {
      const file = this.#others.has(name) ? undefined : this.#files.openToRead(this.#files.at(name));
      if (file !== undefined) this.#others.set(name, file);
    }
    if (!exists || this.#file !== undefined) return;
    // Reservations save requests. Nothing depends on them.
    tryOnDisk(() => {
      this.#file = this.#files.fileSystem.open(this.#files.at(this.#name), 'wx', 0o600);
      for (const [name, slot] of this.#slots) this.#write(slot, Buffer.from(name, 'hex'), state.sent);
    });
  }

  /** false: somebody else has reserved the request. */
  take(key: Buffer): boolean {
    const name = nameOf(key);
    if (this.#here.has(name)) return false;
    this.#here.add(name);
    this.#settling.delete(name);
    const slot = this.#slots.get(name) ?? this.#free.pop() ?? this.#size++;
    this.#slots.set(name, slot);
    if (this.#others.size > 0) this.#write(slot, key, state.asked);
    // Of two processes that ask at the same moment, the one whose file has the smaller name sends.
    const isTaken = Array.from(this.#others).some(([other, file]) => {
      const there = stateIn(file, key);
      return there === state.sent || (there === state.asked && other < this.#name);
    });
    if (isTaken) this.#end(name);
    else this.#write(slot, key, state.sent);
    return !isTaken;
  }

  /** The request is over. `stored`: its response can be found from now on. */
  drop(key: Buffer, stored: boolean): void {
    const name = nameOf(key);
    if (!this.#slots.has(name)) return;
    this.#here.delete(name);
    if (stored && this.#file !== undefined) this.#settling.add(name);
    else this.#end(name);
  }

  /** What is stored now is being written. Call the function that it returns when that is done. */
  writing(): () => void {
    const settling = this.#settling;
    this.#settling = new Set();
    return () => {
      for (const name of settling) if (!this.#here.has(name)) this.#end(name);
    };
  }

  /** Others may send requests, too. */
  get shared(): boolean {
    return this.#others.size > 0;
  }

  close(): void {
    for (const name of [...this.#slots.keys()]) this.#end(name);
    for (const file of [...this.#others.values(), ...(this.#file === undefined ? [] : [this.#file])]) file.close();
    this.#others.clear();
    if (this.#file !== undefined) this.#files.discard(this.#files.at(this.#name));
    this.#file = undefined;
  }

  #end(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#slots.delete(name);
    this.#here.delete(name);
    this.#free.push(slot);
    this.#write(slot, Buffer.alloc(keyBytes), state.free);
  }

  #write(slot: number, key: Buffer, to: number): void {
    const bytes = Buffer.alloc(slotBytes, key.subarray(0, keyBytes));
    bytes[keyBytes] = to;
    tryOnDisk(() => void this.#file?.writeSync(bytes, 0, slotBytes, slot * slotBytes));
  }
}

function nameOf(key: Buffer): string {
  return key.toString('hex', 0, keyBytes);
}

/** What another process says of a request. */
function stateIn(file: OpenFile, key: Buffer): number {
  let found: number = state.free;
  tryOnDisk(() => {
    const slots = readUpTo(file, 0, file.size());
    for (let at = 0; found === state.free && at + slotBytes <= slots.length; at += slotBytes)
      if (key.compare(slots, at, at + keyBytes, 0, keyBytes) === 0) found = slots[at + keyBytes]!;
  });
  return found;
}

/** Something that all stores of this process share if they are on the same folder. Returns the function that gives it. */
export function perFolder<T>(make: () => T): (files: StoreFolder) => T {
  const foldersOf = oncePer<FileSystem, Map<string, T>>(() => new Map());
  return ({ path, fileSystem }) => madeIn(foldersOf(fileSystem), path, make);
}
