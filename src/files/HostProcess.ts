/** The process that uses a disk, and what it can see of others. A lock names its holder by it. */
export interface HostProcess {
  readonly host: string;
  readonly pid: number;
  /** Tells it from a later process with the same number. undefined if the system can't say. */
  readonly start: string | undefined;
  /** The boot of the machine that it runs in. */
  readonly boot: string | undefined;
  /** The namespace of process ids. It differs between two containers on one machine. */
  readonly space: string | undefined;
  /** Whether a process of this machine runs. With `start`, only the one that started then counts. */
  isRunning(pid: number, start?: string): boolean;
  /** The machine's clock, in milliseconds since 1970. */
  now(): number;
  /** Calls `run` after `ms`. Returns a cancel function. `idle`: the timer alone doesn't keep the process alive. */
  after(this: void, ms: number, run: () => void, idle?: 'idle'): () => void;
  /** A number that it gives once: no two names of this process are alike. */
  unique(): number;
}
