/** The environment of a command. `main` passes the process's own, tests pass others. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream;
  /** For data only. */
  readonly stdout: Output;
  /** For everything that isn't data. */
  readonly stderr: Output;
  readonly env: { readonly [name: string]: string | undefined };
  /** Aborted by the first SIGINT or SIGTERM, with its name as the reason, or with 'EPIPE' when the reader of stdout is gone. */
  readonly signal: AbortSignal;
}

/** A stream to write to, which may be a terminal. */
export interface Output {
  write(text: string): boolean;
  once(event: 'drain' | 'close' | 'error', run: () => void): unknown;
  off(event: 'drain' | 'close' | 'error', run: () => void): unknown;
  readonly destroyed: boolean;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}
