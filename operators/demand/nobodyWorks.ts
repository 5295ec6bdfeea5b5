/** Open, but not at work: they wait for others. */
const idle = new Set(['TCPServerWrap', 'PipeServerWrap', 'PipeWrap', 'TTYWrap', 'MessagePort', 'CloseReq']);
const sockets = new Set(['TCPSocketWrap', 'TLSWrap']);

/** What the clients and watches of this process have open themselves. */
export const own = { timers: 0, requests: 0 };

/**
 * Whether no timer, socket, file or child process is active in this process, except for its own ones. Idle keep-alive
 * sockets don't count. Work in Node's thread pool (compression, native add-ons) can't be seen.
 */
export function nobodyWorks(): boolean {
  const open: { [kind: string]: number } = {};
  for (const kind of process.getActiveResourcesInfo()) {
    if (idle.has(kind)) continue;
    if (kind !== 'Timeout' && !sockets.has(kind)) return false;
    open[kind] = (open[kind] ?? 0) + 1;
  }
  // A client has some more sockets than requests in flight: those that have just ended one.
  const ownSockets = own.requests === 0 ? 0 : 2 + Math.ceil(1.5 * own.requests);
  return Object.entries(open).every(([kind, count]) => count <= (kind === 'Timeout' ? own.timers : ownSockets));
}
