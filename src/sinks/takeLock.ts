import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { BusyError, SinkError } from '../errors/index.ts';
import type { FileSystem } from './FileSystem.ts';
import { readAll } from './hashFile.ts';
import { sinkFault, systemCode } from './sinkFault.ts';

/** How often the holder writes that it is alive. */
const beatMs = 2000;
/** A holder silent for this long counts as dead, if the clocks can be compared. */
const silentMs = 60_000;

/** Who holds a lock. Start, boot and namespace tell a process from another one with the same number. */
interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly start: string | undefined;
  readonly boot: string | undefined;
  /** The namespace of process ids. It differs between two containers on one machine. */
  readonly space: string | undefined;
  /** When it last wrote that it is alive, in milliseconds since 1970. */
  readonly beat: number | undefined;
}

export interface HeldLock {
  readonly release: () => void;
  /** The reason, once another process has taken the lock because this one was silent for too long. */
  readonly lost: Promise<Error>;
}

let count = 0;
/** Found once: the kernel takes longer over it in a process with many threads and much memory. */
let thisProcess: Omit<Owner, 'beat'> | undefined;

/**
 * Takes the lock file at `path`. A lock whose owner is known to be dead is taken over. A lock that is held throws a
 * BusyError that names the holder. `silent`: the text of a lock that was watched and whose owner stayed silent.
 */
export function takeLock(path: string, fileSystem: FileSystem, silent?: string): HeldLock {
  thisProcess ??= { host: hostname(), pid: process.pid, start: startOf(process.pid), boot: bootId(), space: pidSpace() };
  const me: Owner = { ...thisProcess, beat: Date.now() };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (makeWhole(path, textOf(me), fileSystem)) return hold(path, me, fileSystem);
    const owner = readOwner(path, fileSystem);
    if (owner !== undefined && !isDead(owner, me, silent)) {
      throw new BusyError(
        `${path}: process ${owner.pid} on ${owner.host} is writing there. Wait for it, or choose another path;` +
          ` if that process is gone for certain, remove the lock file`,
        { elsewhere: isElsewhere(owner, me) },
      );
    }
    putAside(path, owner, fileSystem);
  }
  throw new SinkError(`${path}: several processes want this lock; try again`);
}

/** Makes the file with its text in one step, so nobody sees a half-written one. false if it exists already. */
function makeWhole(path: string, text: Uint8Array, fileSystem: FileSystem): boolean {
  const draft = `${path}.${process.pid}.${count++}`;
  try {
    write(draft, text, fileSystem);
    try {
      fileSystem.link(draft, path);
    } finally {
      fileSystem.unlink(draft);
    }
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(systemCode(error) ?? ''))
      throw sinkFault(path, 'making the lock', error);
  }
  try {
    write(path, text, fileSystem); // a file system without hard links
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw sinkFault(path, 'making the lock', error);
  }
}

function write(path: string, text: Uint8Array, fileSystem: FileSystem): void {
  const file = fileSystem.open(path, 'wx', 0o600);
  try {
    for (let at = 0; at < text.length;) at += file.writeSync(text, at, text.length - at, at);
  } finally {
    file.close();
  }
}

/** undefined if the lock is gone or unreadable, for example empty after a power cut. */
function readOwner(path: string, fileSystem: FileSystem): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(readAll(path, fileSystem).toString('utf8'));
    if (typeof owner !== 'object' || owner === null || !('pid' in owner) || !('host' in owner)) return undefined;
    const { pid, host } = owner;
    if (typeof pid !== 'number' || typeof host !== 'string') return undefined;
    const start = 'start' in owner && typeof owner.start === 'string' ? owner.start : undefined;
    const boot = 'boot' in owner && typeof owner.boot === 'string' ? owner.boot : undefined;
    const space = 'space' in owner && typeof owner.space === 'string' ? owner.space : undefined;
    const beat = 'beat' in owner && typeof owner.beat === 'number' ? owner.beat : undefined;
    return { host, pid, start, boot, space, beat };
  } catch {
    return undefined;
  }
}

function isElsewhere(owner: Owner, me: Owner): boolean {
  return owner.host !== me.host || owner.boot !== me.boot || owner.space !== me.space;
}

/** On this machine, checks the process. Elsewhere, maybe in another container, only its own sign of life counts. */
function isDead(owner: Owner, me: Owner, silent: string | undefined): boolean {
  if (isElsewhere(owner, me))
    return textOf(owner).toString().trim() === silent?.trim() || (owner.beat !== undefined && Date.now() - owner.beat > silentMs);
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
  return owner.start !== startOf(owner.pid);
}

/** Removes this dead lock only. Another process may have taken it over in the meantime. */
function putAside(path: string, dead: Owner | undefined, fileSystem: FileSystem): void {
  const aside = `${path}.${process.pid}.${count++}`;
  try {
    fileSystem.rename(path, aside);
    if (JSON.stringify(readOwner(aside, fileSystem)) !== JSON.stringify(dead)) fileSystem.link(aside, path);
    fileSystem.unlink(aside);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'EEXIST')
      throw sinkFault(path, 'removing the lock of a dead process', error);
  }
}

function hold(path: string, me: Owner, fileSystem: FileSystem): HeldLock {
  let tell: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => (tell = resolve));
  const beating = setInterval(() => {
    try {
      const owner = readOwner(path, fileSystem);
      if (owner === undefined || !textOf({ ...owner, beat: 0 }).equals(textOf({ ...me, beat: 0 }))) {
        clearInterval(beating);
        return tell(new SinkError(`${path}: another process has taken the lock, since this one was silent for too long`));
      }
      const file = fileSystem.open(path, 'r+');
      const text = textOf({ ...me, beat: Date.now() });
      try {
        file.writeSync(text, 0, text.length, 0); // same length as before: the time has 13 digits for centuries
      } finally {
        file.close();
      }
    } catch {
      // the next beat may work
    }
  }, beatMs);
  beating.unref();
  const letGo = (): void => {
    clearInterval(beating);
    release(path, fileSystem);
  };
  return { release: letGo, lost };
}

function textOf(owner: Owner): Buffer {
  return Buffer.from(`${JSON.stringify(owner)}\n`);
}

function release(path: string, fileSystem: FileSystem): void {
  try {
    fileSystem.unlink(path);
  } catch {
    // others will see later that its owner is dead
  }
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}

function pidSpace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/**
 * When the process started, in kernel ticks. undefined without /proc. 'ended' for a process that has ended but whose
 * parent hasn't waited for it.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // a program's name may hold spaces and brackets
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}
