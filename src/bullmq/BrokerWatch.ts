import { FlowError, NetworkError } from '../errors/index.ts';
import type { Broker } from './Broker.ts';

interface BrokerWatchOptions {
  readonly broker: Pick<Broker, 'name' | 'hopeless'>;
  /** How long the database may be away. */
  readonly waitMs: number;
  /** Called with a message when the database is away, and when it is back. */
  readonly tell: (message: string) => void;
}

/** A shorter absence isn't reported. */
const reportedMs = 1500;

/** Tracks whether the database of a queue is reachable, and reports each change once. */
export class BrokerWatch {
  readonly #options: BrokerWatchOptions;
  /** When the first check failed since the last response. Not counted from that response, because this process may have been blocked. */
  #failedAt: number | undefined;
  #told = false;

  constructor(options: BrokerWatchOptions) {
    this.#options = options;
  }

  get awayMs(): number {
    return this.#failedAt === undefined ? 0 : performance.now() - this.#failedAt;
  }

  responded(): void {
    this.#failedAt = undefined;
    if (this.#told) this.#options.tell(`${this.#options.broker.name} is back`);
    this.#told = false;
  }

  /** Says that a check failed. Returns an error if waiting longer doesn't help. */
  failed(error: unknown, reason: string): Error | undefined {
    this.#failedAt ??= performance.now();
    const { broker, waitMs, tell } = this.#options;
    const hopeless = broker.hopeless(error);
    if (hopeless !== undefined) return new FlowError(hopeless);
    const seconds = Math.round(waitMs / 1000);
    if (!this.#told && this.awayMs >= reportedMs) {
      this.#told = true;
      tell(`${broker.name} does not respond (${reason}); waiting for it, ${seconds} s at most`);
    }
    if (this.awayMs <= waitMs) return undefined;
    return new NetworkError(`${broker.name} has not responded for ${seconds} s; check that it runs, then run this again to resume`);
  }
}
