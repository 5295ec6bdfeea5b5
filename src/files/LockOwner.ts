import { type FileSystem, systemCode, type HostProcess } from './FileSystem.ts';
import { readAll } from './blocks.ts';

/** A holder elsewhere whose last beat is older than this counts as dead. */
const silentMs = 60_000;

/** The holder of a lock. */
export interface LockOwner extends Pick<HostProcess, 'host' | 'pid' | 'start' | 'boot' | 'space'> {
  /** Which of the process's locks it is. */
  readonly number: number | undefined;
  /** When it last said that it is alive, in milliseconds since 1970. */
  readonly beat: number | undefined;
}

/** This process as the holder of a new lock. */
export function ownOwner(process: HostProcess): LockOwner {
  const { host, pid, start, boot, space } = process;
  return { host, pid, start, boot, space, number: process.unique(), beat: process.now() };
}

/** A lock's text. It has the same length at every beat: the time has 13 digits for centuries. */
export function lockText(owner: LockOwner): Buffer {
  return Buffer.from(`${JSON.stringify(owner)}\n`);
}

/** Reads who holds a lock. `'gone'`: there is none. `'unreadable'`: for example empty after a power cut. undefined: it can't be read. */
export function readOwner(path: string, fileSystem: FileSystem): LockOwner | 'gone' | 'unreadable' | undefined {
  let text: string;
  try {
    text = readAll(path, fileSystem).toString('utf8');
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'gone' : undefined;
  }
  return parse(text) ?? 'unreadable';
}

/** Whether the lock has exactly this text. false: it has another one, or can't be read. */
export function hasLockText(path: string, text: Buffer, fileSystem: FileSystem): boolean {
  try {
    return readAll(path, fileSystem).equals(text);
  } catch {
    return false;
  }
}

function parse(text: string): LockOwner | undefined {
  let owner: Readonly<Record<string, unknown>> | null;
  try {
    owner = JSON.parse(text) as typeof owner;
  } catch {
    return undefined;
  }
  if (typeof owner?.['pid'] !== 'number' || typeof owner['host'] !== 'string') return undefined;
  const { host, pid } = owner;
  const textAt = (key: string): string | undefined => (typeof owner[key] === 'string' ? owner[key] : undefined);
  const numberAt = (key: string): number | undefined => (typeof owner[key] === 'number' ? owner[key] : undefined);
  const [start, boot, space] = [textAt('start'), textAt('boot'), textAt('space')];
  return { host, pid, start, boot, space, number: numberAt('number'), beat: numberAt('beat') };
}

export function isSame(one: LockOwner, other: LockOwner): boolean {
  return lockText({ ...one, beat: 0 }).equals(lockText({ ...other, beat: 0 }));
}

/** Whether the holder runs on another machine or in another container, where its process can't be seen. */
export function isElsewhere(owner: LockOwner, { host, boot, space }: HostProcess): boolean {
  return owner.host !== host || owner.boot !== boot || owner.space !== space;
}

/**
 * Whether the holder is dead. On this machine, its process is checked. Elsewhere only its beats count. `silent`: the text of a lock that
 * was watched, and in which no beat was written.
 */
export function isDead(owner: LockOwner, process: HostProcess, silent: string | undefined): boolean {
  if (!isElsewhere(owner, process)) return !process.isRunning(owner.pid, owner.start);
  return lockText(owner).toString().trim() === silent?.trim() || (owner.beat !== undefined && process.now() - owner.beat > silentMs);
}
