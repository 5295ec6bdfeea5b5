import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';

/**
 * Aborts at the first SIGINT, SIGTERM or SIGHUP, or on Windows Ctrl-Break, with its name as the reason, or with 'EPIPE' when nobody reads `stdout`.
 * A second signal exits at once. A failed write to `stderr` (a full disk, a closed terminal) stops nothing.
 */
export function stopSignal(signals: EventEmitter, stdout: EventEmitter, stderr: EventEmitter, exit: (code: number) => void): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) {
    signals.on(name, () => {
      if (stop.signal.aborted) exit(128 + (constants.signals[name] ?? constants.signals.SIGINT));
      else stop.abort(name);
    });
  }
  stderr.on('error', () => undefined);
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    stop.abort('EPIPE');
  });
  return stop.signal;
}
