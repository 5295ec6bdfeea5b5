/** Open, but not at work: they wait for others. */
const idle = new Set(['TCPServerWrap', 'PipeServerWrap', 'PipeWrap', 'TTYWrap', 'MessagePort', 'CloseReq']);
const sockets = new Set(['TCPSocketWrap', 'TLSWrap']);

/** What the clients and watches of this process have open themselves. */
export const own = { timers: 0, requests: 0 };

/** What else is open in this process. */
interface WorkElsewhere {
  /** Timers and child processes. They may be older than a pipe and have nothing to do with it. */
  readonly lasting: number;
  /** A socket, a file or a lookup is in use. */
  readonly passing: boolean;
}

/**
 * The timers, child processes, sockets and files that are active in this process, except for its own ones. Idle
 * keep-alive sockets don't count. Work in Node's thread pool (compression, native add-ons) can't be seen.
 */
export function workElsewhere(): WorkElsewhere {
  // A client has some more sockets than requests in flight: those that have just ended one.
  let ownSockets = own.requests === 0 ? 0 : 2 + Math.ceil(1.5 * own.requests);
  let lasting = -own.timers;
  let passing = false;
  for (const kind of process.getActiveResourcesInfo()) {
    if (kind === 'Timeout' || kind === 'ProcessWrap') lasting += 1;
    else if (sockets.has(kind)) passing ||= --ownSockets < 0;
    else passing ||= !idle.has(kind);
  }
  return { lasting, passing };
}
