import { BusyError, SinkError } from '../errors/index.ts';
import { writeAllSync } from './blocks.ts';
import { discard } from './publish.ts';
import { type FileSystem, type OpenFile, sinkFailure, systemCode } from './FileSystem.ts';
import { hasLockText, isDead, isElsewhere, isSame, ownOwner, readOwner, lockText, type LockOwner } from './LockOwner.ts';

/** How often the holder writes that it is alive. */
const beatMs = 2000;

export interface HeldLock {
  readonly release: () => void;
  /** Throws once another process has taken the lock. Call it before each write: this process may have been paused since the last one. */
  readonly check: () => void;
  /** The reason, once another process has taken the lock because this one was silent for too long. */
  readonly lost: Promise<Error>;
  /** The previous holder may only be asleep. Its open files must not be written to: make copies and write to these. */
  readonly takenOver: boolean;
}

/**
 * Takes the lock file at `path`. A lock whose owner is known to be dead is taken over. A lock that is held throws a
 * BusyError that names the holder. `silent`: the text of a lock that was watched and whose owner stayed silent.
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
        { elsewhere: isElsewhere(owner, process) },
      );
    }
    if (owner !== 'gone') takenOver ||= !isKnown || isElsewhere(owner, process);
    putAside(path, owner, fileSystem);
  }
  throw new SinkError(`${path}: several processes want this lock; try again`);
}

/** A name beside a path that no other process uses. A dead one may have. */
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
        discard(draft, fileSystem); // if it stays, it harms nobody; an error here would leave a lock that nobody holds
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

/** The lock under a name that is free. A process of the same number may have left drafts: in a container, each is number 1. */
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

/** Makes a new file. Leaves none if its text doesn't fit. */
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

/** Removes this dead lock only. Another process may have taken it over in the meantime. */
function putAside(path: string, dead: ReturnType<typeof readOwner>, fileSystem: FileSystem): void {
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

/** `file`: the lock that this process made. Beats go there, so never into a lock that another process made since. */
function hold(path: string, me: LockOwner, file: OpenFile, takenOver: boolean, fileSystem: FileSystem): HeldLock {
  let tell: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => (tell = resolve));
  let loss: Error | undefined;
  let released = false;
  let text = lockText(me);
  const isOurs = (): boolean => {
    if (loss === undefined && hasLockText(path, text, fileSystem)) return true; // nearly always, and without parsing it
    const owner = loss === undefined ? readOwner(path, fileSystem) : 'gone';
    if (owner === undefined) return true; // the system can't say, for example because too many files are open
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
    // others will see later that its owner is dead
  }
}
