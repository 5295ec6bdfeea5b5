import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { OutputError } from './Command.ts';

/**
 * Aborts at the first SIGINT, SIGTERM or SIGHUP, or on Windows Ctrl-Break, with its name as the reason.
 * Aborts with 'EPIPE' when nobody reads `stdout`, and with an OutputError when it can't be written for another reason, such as a full disk.
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
    stop.abort(error.code === 'EPIPE' ? 'EPIPE' : new OutputError(getSystemErrorMap().get(error.errno ?? 0)?.[1] ?? error.message));
  });
  return stop.signal;
}
