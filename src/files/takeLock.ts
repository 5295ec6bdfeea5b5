import { BusyError, SinkError } from '../errors/index.ts';
import { writeAllSync, readAll } from './blocks.ts';
import { discard } from './publish.ts';
import { type FileSystem, type OpenFile, sinkFailure, systemCode, type HostProcess } from './FileSystem.ts';

/** How often the holder writes the time into its lock, to show that it is alive. */
const beatMs = 2000;

export interface HeldLock {
  readonly release: () => void;
  /** Throws once another process has taken the lock. Call it before each write, because this process may have been paused. */
  readonly check: () => void;
  /** Resolves with the reason once another process has taken the lock, because this one was silent for too long. */
  readonly lost: Promise<Error>;
  /** The previous holder may only be paused, with its files open. Don't write to these files: copy them, and write to the copies. */
  readonly takenOver: boolean;
}

/**
 * Takes the lock file at `path`. A lock whose owner is dead is taken over. Throws a BusyError that names the holder if it is held.
 * `silent`: the text of a lock that was watched, and in which no beat was written.
 */
export function takeLock(path: string, fileSystem: FileSystem, silent?: string): HeldLock {
  const { process } = fileSystem;
  const me = ownOwner(process);
  let takenOver = false;
  for (let attempt = 0; attempt < 3; attempt++) {
    const file = makeWhole(path, lockText(me), fileSystem);
    if (file !== undefined) return hold(path, me, file, takenOver, fileSystem);
    const owner = readOwner(path, fileSystem);
    const isKnown = typeof owner === 'object';
    if (isKnown && !isDead(owner, process, silent)) {
      throw new BusyError(
        `${path}: process ${owner.pid} on ${owner.host} is writing there. Wait for it, or choose another path;` +
          ` if that process is gone for certain, remove the lock file`,
        { unseen: isUnseen(owner, process) },
      );
    }
    if (owner !== 'gone') takenOver ||= !isKnown || isUnseen(owner, process);
    removeDead(path, owner, fileSystem);
  }
  throw new SinkError(`${path}: several processes want this lock; try again`);
}

/** A name beside a path that no other running process uses. */
function ownName(path: string, { process }: FileSystem): string {
  return `${path}.${process.pid}.${process.unique()}`;
}

/** Makes the file with its text in one step, so nobody sees a half-written one. undefined if it exists already. */
function makeWhole(path: string, text: Uint8Array, fileSystem: FileSystem): OpenFile | undefined {
  try {
    const { draft, file } = makeDraft(path, text, fileSystem);
    try {
      try {
        fileSystem.link(draft, path);
      } finally {
        discard(draft, fileSystem); // never throws: an error would leave a lock that nobody holds. A draft that stays does no harm
      }
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(systemCode(error) ?? ''))
      throw sinkFailure(path, 'making the lock', error);
  }
  try {
    return write(path, text, fileSystem); // a file system without hard links
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined;
    throw sinkFailure(path, 'making the lock', error);
  }
}

/** Writes the lock under a free name. A dead process with the same pid may have left a draft: in containers the pid is often 1. */
function makeDraft(path: string, text: Uint8Array, fileSystem: FileSystem): { readonly draft: string; readonly file: OpenFile } {
  for (;;) {
    const draft = ownName(path, fileSystem);
    try {
      return { draft, file: write(draft, text, fileSystem) };
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** Makes a new file. Leaves none if the text can't be written. */
function write(path: string, text: Uint8Array, fileSystem: FileSystem): OpenFile {
  const file = fileSystem.open(path, 'wx', 0o600);
  try {
    writeAllSync(file, text, 0);
    return file;
  } catch (error) {
    file.close();
    discard(path, fileSystem);
    throw error;
  }
}

/** Removes the lock of a dead process. If another process has replaced it in the meantime, that one is put back. */
function removeDead(path: string, dead: ReturnType<typeof readOwner>, fileSystem: FileSystem): void {
  const aside = ownName(path, fileSystem);
  try {
    fileSystem.rename(path, aside);
    if (JSON.stringify(readOwner(aside, fileSystem)) !== JSON.stringify(dead)) fileSystem.link(aside, path);
    fileSystem.unlink(aside);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'EEXIST')
      throw sinkFailure(path, 'removing the lock of a dead process', error);
  }
}

/** `file`: the open lock file of this process. Beats are written to it, so never into a lock that another process has made since. */
function hold(path: string, me: LockOwner, file: OpenFile, takenOver: boolean, fileSystem: FileSystem): HeldLock {
  let tell: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => (tell = resolve));
  let loss: Error | undefined;
  let released = false;
  let text = lockText(me);
  const isOurs = (): boolean => {
    if (loss === undefined && hasLockText(path, text, fileSystem)) return true; // the usual case, without parsing
    const owner = loss === undefined ? readOwner(path, fileSystem) : 'gone';
    if (owner === undefined) return true; // it can't be read now, for example because too many files are open
    if (typeof owner === 'object' && isSame(owner, me)) return true;
    if (loss === undefined) tell((loss = lossOf(path, owner)));
    return false;
  };
  let stopBeating = (): void => undefined;
  const beat = (): void => {
    if (!isOurs()) return;
    text = lockText({ ...me, beat: fileSystem.process.now() });
    try {
      file.writeSync(text, 0, text.length, 0);
    } catch {
      // the next beat may work
    }
    beatLater();
  };
  const beatLater = (): void => void (stopBeating = fileSystem.process.after(beatMs, beat, 'idle'));
  beatLater();
  return {
    lost,
    takenOver,
    check() {
      if (!isOurs()) throw loss;
    },
    release() {
      if (released) return;
      released = true;
      stopBeating();
      const own = isOurs();
      file.close();
      if (own) removeLock(path, fileSystem);
    },
  };
}

function lossOf(path: string, owner: LockOwner | 'gone' | 'unreadable'): SinkError {
  const who =
    typeof owner === 'object' ? `process ${owner.pid} on ${owner.host} has taken over` : 'another process took over and has ended since';
  return new SinkError(
    `${path}: ${who}, since this one was paused or cut off from the folder and did not renew its lock.` +
      ' It has stopped, and wrote nothing after that. What it had not committed is requested again by the other one',
  );
}

function removeLock(path: string, fileSystem: FileSystem): void {
  try {
    fileSystem.unlink(path);
  } catch {
    // other processes will find that its owner is dead
  }
}

/** A holder that can't be seen counts as dead if its last beat is older than this. */
const silentMs = 60_000;

/** The holder of a lock. */
export interface LockOwner extends Pick<HostProcess, 'host' | 'pid' | 'start' | 'boot' | 'space'> {
  /** Which of the process's locks it is. */
  readonly number: number | undefined;
  /** When it last said that it is alive, in milliseconds since 1970. */
  readonly beat: number | undefined;
}

/** This process as the holder of a new lock. */
function ownOwner(process: HostProcess): LockOwner {
  const { host, pid, start, boot, space } = process;
  return { host, pid, start, boot, space, number: process.unique(), beat: process.now() };
}

/** A lock's text. It has the same length at every beat: the time has 13 digits for centuries. */
function lockText(owner: LockOwner): Buffer {
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
function hasLockText(path: string, text: Buffer, fileSystem: FileSystem): boolean {
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

/**
 * Whether the holder's process can't be seen: it is on another machine or in another container, or the system doesn't tell when it
 * started, so that the one with its number may be another.
 */
function isUnseen({ host, boot, space, pid, start }: LockOwner, process: HostProcess): boolean {
  if (host !== process.host || boot !== process.boot || space !== process.space) return true;
  return start === undefined && process.isRunning(pid);
}

/**
 * Whether the holder is dead. Its process is checked, or if that can't be seen, its beats. `silent`: the text of a lock that was
 * watched, and in which no beat was written.
 */
export function isDead(owner: LockOwner, process: HostProcess, silent: string | undefined): boolean {
  if (!isUnseen(owner, process)) return !process.isRunning(owner.pid, owner.start);
  return lockText(owner).toString().trim() === silent?.trim() || (owner.beat !== undefined && process.now() - owner.beat > silentMs);
}
