import { type FileSystem, systemCode, type HostProcess } from './FileSystem.ts';
import { readAll } from './blocks.ts';

/** A holder silent for this long counts as dead, if the clocks can be compared. */
const silentMs = 60_000;

/** Who holds a lock. */
export interface LockOwner extends Pick<HostProcess, 'host' | 'pid' | 'start' | 'boot' | 'space'> {
  /** Which of the process's locks it is. */
  readonly number: number | undefined;
  /** When it last wrote that it is alive, in milliseconds since 1970. */
  readonly beat: number | undefined;
}

/** The process, with a lock of its own. */
export function ownOwner(process: HostProcess): LockOwner {
  const { host, pid, start, boot, space } = process;
  return { host, pid, start, boot, space, number: process.unique(), beat: process.now() };
}

/** A lock's text. It has the same length at every beat: the time has 13 digits for centuries. */
export function lockText(owner: LockOwner): Buffer {
  return Buffer.from(`${JSON.stringify(owner)}\n`);
}

/** `'gone'`: there is no lock. `'unreadable'`: for example empty after a power cut. undefined: the system can't say. */
export function readOwner(path: string, fileSystem: FileSystem): LockOwner | 'gone' | 'unreadable' | undefined {
  let text: string;
  try {
    text = readAll(path, fileSystem).toString('utf8');
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'gone' : undefined;
  }
  return parse(text) ?? 'unreadable';
}

/** Whether the lock has exactly this text. false: it has another one, or the system can't say. */
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

/** Whether it runs where its process can't be seen from here: on another machine, or in another container. */
export function isElsewhere(owner: LockOwner, { host, boot, space }: HostProcess): boolean {
  return owner.host !== host || owner.boot !== boot || owner.space !== space;
}

/** On this machine, checks the process. Elsewhere only its own sign of life counts. `silent`: a text that stayed the same too long. */
export function isDead(owner: LockOwner, process: HostProcess, silent: string | undefined): boolean {
  if (!isElsewhere(owner, process)) return !process.isRunning(owner.pid, owner.start);
  return lockText(owner).toString().trim() === silent?.trim() || (owner.beat !== undefined && process.now() - owner.beat > silentMs);
}
