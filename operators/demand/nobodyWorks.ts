/** Open, but not at work: they wait for others. */
const idle = new Set(['TCPServerWrap', 'PipeServerWrap', 'PipeWrap', 'TTYWrap', 'MessagePort', 'CloseReq']);

/**
 * Whether no timer, socket, file or child process is active in this process, except for `ownTimers` timers. Idle
 * keep-alive sockets don't count. Work in Node's thread pool (compression, native add-ons) can't be seen.
 */
export function nobodyWorks(ownTimers: number): boolean {
  let timers = 0;
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind === 'Timeout') timers += 1;
    else if (!idle.has(kind)) return false;
  }
  return timers <= ownTimers;
}
