import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { SinkError } from '../errors/index.ts';
import type { FileSystem } from './FileSystem.ts';
import { readAll } from './readAll.ts';
import { sinkFault, systemCode } from './sinkFault.ts';

/** Who holds a lock. Start and boot tell a process from a later one with the same number. */
interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly start: string | undefined;
  readonly boot: string | undefined;
}

let count = 0;

/**
 * Takes the lock file at `path`, and gives the function that lets it go. A lock whose owner is known to be dead is
 * taken over; one that is held throws a SinkError that names the holder.
 */
export function takeLock(path: string, fileSystem: FileSystem): () => void {
  const me: Owner = { host: hostname(), pid: process.pid, start: startOf(process.pid), boot: bootId() };
  const text = Buffer.from(`${JSON.stringify(me)}\n`);
  for (let attempt = 0; attempt < 3; attempt++) {
    if (makeWhole(path, text, fileSystem)) return () => release(path, fileSystem);
    const owner = readOwner(path, fileSystem);
    if (owner !== undefined && !isDead(owner, me)) {
      throw new SinkError(
        `${path}: process ${owner.pid} on ${owner.host} is writing there. Wait for it, or choose another path;` +
          ` if that process is gone for certain, remove the lock file`,
      );
    }
    putAside(path, owner, fileSystem);
  }
  throw new SinkError(`${path}: several processes are after this lock; try again`);
}

/** Makes the file with its text in one step, so that nobody ever sees a half one; false when it is there already. */
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
    write(path, text, fileSystem); // a file system without second names
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

/** undefined for a lock that is gone, or that can't be read: one that a power cut left without its text. */
function readOwner(path: string, fileSystem: FileSystem): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(readAll(path, fileSystem).toString('utf8'));
    if (typeof owner !== 'object' || owner === null || !('pid' in owner) || !('host' in owner)) return undefined;
    const { pid, host } = owner;
    if (typeof pid !== 'number' || typeof host !== 'string') return undefined;
    const start = 'start' in owner && typeof owner.start === 'string' ? owner.start : undefined;
    const boot = 'boot' in owner && typeof owner.boot === 'string' ? owner.boot : undefined;
    return { pid, host, start, boot };
  } catch {
    return undefined;
  }
}

function isDead(owner: Owner, me: Owner): boolean {
  if (owner.host !== me.host) return false;
  if (owner.boot !== me.boot) return true;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
  return owner.start !== startOf(owner.pid);
}

/** Removes the dead lock, and only that one: another process may have taken it over in the meantime. */
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

function release(path: string, fileSystem: FileSystem): void {
  try {
    fileSystem.unlink(path);
  } catch {
    // its owner is recognised as dead later on
  }
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}

/**
 * When the process started, in the kernel's ticks; undefined where there is no /proc. A process that has ended and that
 * its parent hasn't waited for has 'ended' instead.
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
