/** What the command says to the shell. */
export const ExitCode = {
  done: 0,
  /** Done, with failures on record. */
  failures: 1,
  /** Bad input; nothing was asked for. */
  usage: 2,
  /** Another run is under way in the same folder; nothing was asked for. */
  busy: 3,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** The exit code of a command that was told to stop; that nobody reads any more is no fault. */
export function abortedCode(signal: AbortSignal): number {
  if (signal.reason === 'EPIPE') return ExitCode.done;
  if (signal.reason === 'SIGHUP') return ExitCode.hungUp;
  return signal.reason === 'SIGTERM' ? ExitCode.terminated : ExitCode.interrupted;
}
