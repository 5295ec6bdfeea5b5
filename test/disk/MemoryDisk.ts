import { dirname, resolve } from 'node:path';
import type { HostProcess } from '../../src/files/FileSystem.ts';
import { nodeProcess } from '../../src/files/nodeProcess.ts';
import { DiskContent, type DiskStep } from './DiskContent.ts';
import { callback, flag, whole, declareOptions } from '../../operators/options/index.ts';

/** What goes wrong at a step: an error code; or only the first bytes of a write are written. */
export type DiskFault = string | { readonly short: number };

export interface MemoryDiskOptions {
  /** Called before each change, with the number of changes before it. @default nothing goes wrong */
  readonly fault?: ((step: DiskStep, index: number) => DiskFault | undefined) | undefined;
  /** Called before bytes of a file are read. Returns an error code. @default nothing goes wrong */
  readonly readFault?: ((path: string) => string | undefined) | undefined;
  /** The number of bytes that fit. @default Infinity */
  readonly capacity?: number | undefined;
  /**
   * Behaves as under Windows: neither folders nor files that are open for reading can be synced, nothing is renamed onto an open
   * file, names that differ only in case are one file, and some names are reserved. @default false
   */
  readonly windows?: boolean | undefined;
  /** The machine's clock, in milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** What calls a process back, so that it can say that it is alive. @default the system's timers */
  readonly after?: HostProcess['after'] | undefined;
}

const memoryDiskOptions = declareOptions<MemoryDiskOptions>()({
  fault: callback<NonNullable<MemoryDiskOptions['fault']>>(),
  readFault: callback<NonNullable<MemoryDiskOptions['readFault']>>(),
  capacity: whole({ from: 0 }).or(Infinity),
  windows: flag().or(false),
  now: callback<() => number>().or(Date.now),
  after: callback<HostProcess['after']>().or(nodeProcess.after),
});

/** After a power cut, the machine is back an hour later. */
const outageMs = 3_600_000;

/**
 * A disk in memory that knows what is synced, fails where you tell it to, and can lose its power. A process uses it through
 * a `MemoryFileSystem`. Nothing waits, and the same random numbers give the same disk.
 */
export class MemoryDisk {
  readonly options: MemoryDiskOptions & {
    readonly capacity: number;
    readonly windows: boolean;
    readonly now: () => number;
    readonly after: HostProcess['after'];
  };
  /** All changes so far. */
  readonly log: DiskStep[] = [];
  /** The numbers of the processes that run. */
  readonly processes: Set<number> = new Set();
  /** The files that are open, each as often as it is. */
  readonly open: number[] = [];
  /** The number of the machine's boot. */
  readonly boot: number;
  readonly content: DiskContent;
  readonly #before: DiskContent;
  #nextFile: number;
  #nextProcess: number;

  constructor(options: MemoryDiskOptions = {}, before: DiskContent = new DiskContent(), boot = 1, nextProcess = 1) {
    this.options = memoryDiskOptions.read('MemoryDisk', options);
    this.#before = before;
    this.content = before.copy();
    this.boot = boot;
    this.#nextFile = Math.max(0, ...before.files.keys()) + 1;
    this.#nextProcess = nextProcess;
  }

  /** The machine's clock. */
  now(): number {
    return this.options.now() + (this.boot - 1) * outageMs;
  }

  /** The bytes of a file. undefined if there is none. */
  read(path: string): Buffer | undefined {
    const file = this.content.at(resolve(path));
    return typeof file === 'number' ? Buffer.from(this.content.files.get(file)!.content) : undefined;
  }

  /** Makes or replaces a file, and the folders above it. All of it is synced, as with the next two. */
  put(path: string, bytes: string | Uint8Array): void {
    const name = resolve(path);
    const file = this.newFile();
    this.makeFolder(dirname(name));
    this.#do({ kind: 'make', name, file });
    this.#do({ kind: 'write', file, at: 0, bytes: Buffer.from(bytes) });
    this.#do({ kind: 'datasync', file });
    this.#do({ kind: 'syncFolder', name: dirname(name) });
  }

  /** Makes a folder and those above it. */
  makeFolder(path: string): void {
    const name = resolve(path);
    if (this.content.at(name) !== undefined) return;
    this.makeFolder(dirname(name));
    this.#do({ kind: 'folder', name });
    this.#do({ kind: 'syncFolder', name: dirname(name) });
  }

  /** Removes a file or an empty folder. */
  remove(path: string): void {
    this.#do({ kind: 'unlink', name: resolve(path) });
    this.#do({ kind: 'syncFolder', name: dirname(resolve(path)) });
  }

  /** The paths of all files, in order. */
  get paths(): string[] {
    return [...this.content.names].flatMap(([name, what]) => (what === 'folder' ? [] : [name])).sort();
  }

  /** Another disk with the same content, all of it synced. No process runs there. */
  copy(options: MemoryDiskOptions = this.options): MemoryDisk {
    return new MemoryDisk(options, this.content.copy(), this.boot, this.#nextProcess);
  }

  /**
   * Another disk, as it may be after a power cut: what wasn't synced is there, lost or torn, each piece independently.
   * `until`: the cut comes while the step with this position in the log is done. `mood` is one of `moodCount` ways.
   */
  powerCut(
    random: () => number,
    { until = this.log.length, mood = Math.floor(random() * moodCount) }: Partial<Pick<PowerCut, 'until' | 'mood'>> = {},
  ): MemoryDisk {
    const ordered = this.options.windows;
    const left = powerCut(this.#before, this.log, { until, mood, random, ordered });
    return new MemoryDisk(this.options, left, this.boot + 1);
  }

  /** A process begins. Returns its number. */
  startProcess(): number {
    this.processes.add(this.#nextProcess);
    return this.#nextProcess++;
  }

  newFile(): number {
    return this.#nextFile++;
  }

  /** Does a step, or throws what it is told to. Returns how many bytes of a write are written. */
  step(step: DiskStep): number {
    try {
      const fault = this.options.fault?.(step, this.log.length);
      if (typeof fault === 'string') throw diskError(fault);
      if (step.kind !== 'write') return this.#do(step);
      const fits = Math.min(step.bytes.length, fault?.short ?? Infinity, this.#room(step.file, step.at));
      if (fits === 0 && step.bytes.length > 0 && fault === undefined) throw diskError('ENOSPC');
      return this.#do(fits === step.bytes.length ? step : { ...step, bytes: step.bytes.subarray(0, fits) });
    } catch (error) {
      this.log.push({ kind: 'failed' });
      throw error;
    }
  }

  #do(step: DiskStep): number {
    this.log.push(step);
    this.content.apply(step);
    return step.kind === 'write' ? step.bytes.length : 0;
  }

  /** How many bytes fit into a file from a position on. */
  #room(file: number, at: number): number {
    const { capacity } = this.options;
    if (capacity === Infinity) return Infinity;
    const kept = new Set<number | 'folder'>([...this.content.names.values(), ...this.open, file]);
    let free = capacity;
    for (const [one, { length }] of this.content.files) if (kept.has(one)) free -= length;
    return Math.max(0, free + this.content.files.get(file)!.length - at);
  }
}

/** An error as the system throws it. */
type DiskError = Error & { readonly code: string };

export function diskError(code: string): DiskError {
  return Object.assign(new Error(`${code}: as told`), { code });
}

/** How likely what wasn't synced survives: nothing, everything, names only, bytes only, a mix. */
const moods = [
  { names: 0, bytes: 0, torn: 0 },
  { names: 1, bytes: 1, torn: 0 },
  { names: 1, bytes: 0, torn: 0 },
  { names: 0, bytes: 1, torn: 0 },
  { names: 0.5, bytes: 0.5, torn: 0.5 },
  { names: 0.9, bytes: 0.5, torn: 0.9 },
  { names: 0.5, bytes: 0.9, torn: 0.2 },
] as const;

/** The number of ways in which a power cut may go. */
export const moodCount: number = moods.length;

interface PowerCut {
  /** The steps that were done before it. The one after these may be done, half done or not. */
  readonly until: number;
  /** From 0 to `moodCount` - 1. */
  readonly mood: number;
  readonly random: () => number;
  /** Names reach the disk in their order, each with the next sync of any file, because folders can't be synced. */
  readonly ordered: boolean;
}

/** What is left after a power cut. What wasn't synced is there or not, each piece independently of the others, or torn. */
export function powerCut(before: DiskContent, log: readonly DiskStep[], { until, mood, random, ordered }: PowerCut): DiskContent {
  const likely = moods[mood % moods.length]!;
  const isSafe = safeSteps(log.slice(0, until), ordered);
  const left = before.copy();
  let lost = false;
  const survives = (): boolean => !(lost &&= ordered) && !(lost = random() >= likely.names);
  for (const [index, step] of log.slice(0, until + 1).entries()) {
    if (step.kind === 'datasync' || step.kind === 'syncFolder' || step.kind === 'failed') continue;
    if (step.kind === 'write' || step.kind === 'truncate') {
      if (isSafe[index]) left.apply(step);
      else if (random() < likely.bytes) left.apply(random() < likely.torn ? torn(step, random) : step);
      continue;
    }
    if (step.kind === 'make') left.apply({ kind: 'truncate', file: step.file, length: 0 }); // its bytes may outlive its name
    if (isSafe[index] === true || survives()) left.apply(step);
  }
  left.dropLost();
  return left;
}

/** Which steps are safe: a sync that covers them came later. */
function safeSteps(log: readonly DiskStep[], ordered: boolean): readonly boolean[] {
  const files = new Set<number>();
  const folders = new Set<string>();
  const safe: boolean[] = [];
  for (let index = log.length - 1; index >= 0; index--) {
    const step = log[index]!;
    if (step.kind === 'failed') continue;
    if (step.kind === 'datasync') files.add(step.file);
    else if (step.kind === 'syncFolder') folders.add(step.name);
    else if (step.kind === 'write' || step.kind === 'truncate') safe[index] = files.has(step.file);
    else safe[index] = ordered ? files.size > 0 : folders.has(dirname(step.kind === 'rename' ? step.to : step.name));
  }
  return safe;
}

/** The beginning of a write, or some blocks of it. */
function torn(step: DiskStep, random: () => number): DiskStep {
  if (step.kind !== 'write') return step;
  if (random() < 0.5) return { ...step, bytes: step.bytes.subarray(0, Math.floor(random() * step.bytes.length)) };
  const bytes = Buffer.from(step.bytes);
  for (let at = 0; at < bytes.length; at += 16) if (random() < 0.3) bytes.fill(0, at, Math.min(at + 16, bytes.length));
  return { ...step, bytes };
}
