interface RedisWatchOptions {
  /** Host and port. */
  readonly address: string;
  /** How long Redis may be away. */
  readonly waitMs: number;
  /** Called when it goes away and when it is back. */
  readonly tell: (message: string) => void;
}

const worthSayingMs = 1500;

/** Tracks whether Redis is reachable, and reports each change once. */
export class RedisWatch {
  readonly #options: RedisWatchOptions;
  /** When the first check after the last response failed. Before that, this process may have been blocked. */
  #failedAt: number | undefined;
  #told = false;

  constructor(options: RedisWatchOptions) {
    this.#options = options;
  }

  get awayMs(): number {
    return this.#failedAt === undefined ? 0 : performance.now() - this.#failedAt;
  }

  responded(): void {
    this.#failedAt = undefined;
    if (this.#told) this.#options.tell(`Redis at ${this.#options.address} is back`);
    this.#told = false;
  }

  /** Redis didn't respond. Returns a message if waiting longer doesn't help. */
  failed(error: unknown, reason: string): string | undefined {
    this.#failedAt ??= performance.now();
    const { address, waitMs, tell } = this.#options;
    const seconds = Math.round(waitMs / 1000);
    if (!this.#told && this.awayMs >= worthSayingMs) {
      this.#told = true;
      tell(`Redis at ${address} does not respond (${reason}); waiting for it, ${seconds} s at most`);
    }
    // the package of the Redis client isn't installed
    if (error instanceof Error && error.message.includes("'ioredis'")) return 'BullMQ needs a client of Redis: npm install ioredis';
    if (this.awayMs <= waitMs) return undefined;
    return `Redis at ${address} has not responded for ${seconds} s; check that it runs, then run this again to resume`;
  }
}
