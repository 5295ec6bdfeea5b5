import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';

/**
 * Aborts at the first SIGINT or SIGTERM, with its name as the reason, or with 'EPIPE' once nobody reads `stdout`. A
 * second signal exits at once.
 */
export function stopSignal(signals: EventEmitter, stdout: EventEmitter, stderr: EventEmitter, exit: (code: number) => void): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    signals.on(name, () => {
      if (stop.signal.aborted) exit(128 + constants.signals[name]);
      else stop.abort(name);
    });
  }
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      if (stream === stdout) stop.abort('EPIPE');
    });
  }
  return stop.signal;
}
