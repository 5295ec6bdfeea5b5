import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { FileSystem } from './FileSystem.ts';
import { readAll } from './blocks.ts';
import { systemCode } from './sinkFailure.ts';

/** A holder silent for this long counts as dead, if the clocks can be compared. */
const silentMs = 60_000;

/** Who holds a lock. Start, boot and namespace tell a process from another one with the same number. */
export interface LockOwner {
  readonly host: string;
  readonly pid: number;
  readonly start: string | undefined;
  readonly boot: string | undefined;
  /** The namespace of process ids. It differs between two containers on one machine. */
  readonly space: string | undefined;
  /** Which of the process's locks it is. */
  readonly number: number | undefined;
  /** When it last wrote that it is alive, in milliseconds since 1970. */
  readonly beat: number | undefined;
}

/** Found once: the kernel takes longer over it in a process with many threads and much memory. */
let here: Omit<LockOwner, 'beat' | 'number'> | undefined;

/** This process, with a lock of this number. */
export function ownOwner(number: number, beat: number): LockOwner {
  here ??= {
    host: hostname(),
    pid: process.pid,
    start: startOf(process.pid),
    boot: textOrNone(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    space: textOrNone(() => readlinkSync('/proc/self/ns/pid')),
  };
  return { ...here, number, beat };
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
export function isElsewhere(owner: LockOwner, me: LockOwner): boolean {
  return owner.host !== me.host || owner.boot !== me.boot || owner.space !== me.space;
}

/** On this machine, checks the process. Elsewhere only its own sign of life counts. `silent`: a text that stayed the same too long. */
export function isDead(owner: LockOwner, me: LockOwner, silent: string | undefined): boolean {
  if (isElsewhere(owner, me))
    return lockText(owner).toString().trim() === silent?.trim() || (owner.beat !== undefined && me.beat! - owner.beat > silentMs);
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return systemCode(error) === 'ESRCH';
  }
  return owner.start !== startOf(owner.pid);
}

/**
 * When the process started, in kernel ticks. undefined without /proc. 'ended' for a process that has ended but whose
 * parent hasn't waited for it.
 */
function startOf(pid: number): string | undefined {
  return textOrNone(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // a program's name may hold spaces and brackets
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
  });
}

/** undefined where the system has no such file. */
function textOrNone(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
