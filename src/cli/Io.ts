/** The environment of a command. `main` passes the process's own, tests pass others. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream;
  /** For data only. */
  readonly stdout: Output;
  /** For everything that isn't data. */
  readonly stderr: Output;
  /** What was typed to start the command, for commands to type next. @default 'trawler' */
  readonly program?: string;
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

/** Writes, and waits for a reader who is slower; a reader who has gone is not waited for. */
export async function writeOut(output: Output, text: string): Promise<void> {
  if (output.destroyed || output.write(text)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'error'] as const) output.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error'] as const) output.once(event, done);
  });
}
