/** The exit codes of the command. */
export const ExitCode = {
  done: 0,
  /** Done, but with failures. */
  failures: 1,
  /** Bad input. No request was sent. */
  usage: 2,
  /** Another run is using the same folder. No request was sent. */
  busy: 3,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit code of a stopped command. A reader that has gone is not an error. */
export function abortedCode(signal: AbortSignal): number {
  if (signal.reason === 'EPIPE') return ExitCode.done;
  if (signal.reason === 'SIGHUP') return ExitCode.hungUp;
  return signal.reason === 'SIGTERM' ? ExitCode.terminated : ExitCode.interrupted;
}

/** The command was told to stop. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}
