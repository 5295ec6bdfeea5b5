/** What a command has around it; `main` gives it the process's own, tests give it others. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream;
  /** For data, and nothing else. */
  readonly stdout: Output;
  /** For all that isn't data. */
  readonly stderr: Output;
  readonly env: { readonly [name: string]: string | undefined };
  /** Aborted by the first SIGINT or SIGTERM, with its name as the reason; with 'EPIPE' when nobody reads stdout any more. */
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
