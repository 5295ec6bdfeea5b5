import { type HostProcess, systemCode } from './FileSystem.ts';

const { readFileSync, readlinkSync } = process.getBuiltinModule('node:fs');

/** Read once, because the kernel is slow to answer for a process with many threads and much memory. */
let here: Pick<HostProcess, 'host' | 'start' | 'boot' | 'space'> | undefined;
let count = 0;

function found(): NonNullable<typeof here> {
  return (here ??= {
    host: process.getBuiltinModule('node:os').hostname(),
    start: startOf(process.pid),
    boot: textOrNone(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    space: textOrNone(() => readlinkSync('/proc/self/ns/pid')),
  });
}

/** This process. */
export const nodeProcess: HostProcess = {
  get host() {
    return found().host;
  },
  pid: process.pid,
  get start() {
    return found().start;
  },
  get boot() {
    return found().boot;
  },
  get space() {
    return found().space;
  },
  isRunning(pid, start) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      return systemCode(error) !== 'ESRCH'; // with another error it exists, but this user may not signal it
    }
    return start === undefined || start === startOf(pid);
  },
  now: () => Date.now(),
  after(ms, run, idle) {
    const timer = setTimeout(run, ms);
    if (idle === 'idle') timer.unref();
    return () => clearTimeout(timer);
  },
  unique: () => count++,
};

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
