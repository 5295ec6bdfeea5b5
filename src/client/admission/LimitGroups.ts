import type { LimitSpec, Operation } from '../../contract/index.ts';
import { parseRateLimit, readDeclared, type ReadLimit } from '../attempt/parseRateLimit.ts';
import { unlimited } from '../rate/choosePaces.ts';
import type { Pace } from '../rate/Pace.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { Clock } from '../Clock.ts';

/** The limit groups of a client: one for each group of operations with a limit of its own, and the main one for all others. */
export class LimitGroups {
  readonly main: LimitGroup;
  readonly all: readonly LimitGroup[];
  /** The operations that aren't in the main one. */
  readonly #own = new Map<Operation, LimitGroup>();

  constructor({ clock, pace, groupPaces, maxRetryAfterMs: maxPauseMs, service }: Settings) {
    const { limits: known = {} } = service;
    const limits = [['default', pace] as const, ...groupPaces];
    this.all = limits.map(([group, of], index) => new LimitGroup({ index, clock, pace: of, ...readerOf(known[group]), maxPauseMs }));
    this.main = this.all[0]!;
    const limitGroups = new Map(Array.from(groupPaces.keys(), (group, nth) => [group, this.all[nth + 1]!]));
    for (const operation of Object.values(service.operations)) {
      const own = limitGroups.get(operation.spec.group ?? '');
      if (own !== undefined) this.#own.set(operation, own);
    }
  }

  /** What a request of an operation counts against. */
  of(operation: Operation): LimitGroup {
    return this.#own.get(operation) ?? this.main;
  }
}

function readerOf(limit: LimitSpec | 'learnt' = 'learnt'): { readonly readLimit: ReadLimit; readonly inBody: boolean } {
  if (limit === 'learnt' || 'requests' in limit) return { readLimit: parseRateLimit, inBody: false };
  return { readLimit: readDeclared(limit), inBody: limit.at !== undefined };
}

interface LimitGroupOptions {
  /** Its index among all. The main one is the first. */
  readonly index: number;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly readLimit: ReadLimit;
  /** The body states the limit. */
  readonly inBody: boolean;
  /** The longest pause that a request waits for, if the service asks for it. */
  readonly maxPauseMs: number;
}

/** Requests that share a limit of the service: those of a group of operations, or all that are in no such group. */
export class LimitGroup {
  readonly index: number;
  readonly pace: Pace;
  readonly pause: Pause;
  /** Reads what a response says about the limit. */
  readonly readLimit: ReadLimit;
  /** The body states the limit, so no request goes before it is read. */
  readonly inBody: boolean;
  /** There is a pace to keep. */
  readonly isPaced: boolean;
  /** Its requests in flight. */
  inFlight = 0;
  /** The number of headers of a good response that states no limit. undefined: there was none, or the headers are read each time. */
  quietHeaders: number | undefined = undefined;

  constructor({ index, clock, pace, readLimit, inBody, maxPauseMs }: LimitGroupOptions) {
    this.index = index;
    this.pace = pace;
    this.isPaced = pace !== unlimited;
    this.readLimit = readLimit;
    this.inBody = inBody;
    this.pause = new Pause({ clock, pace, maxMs: maxPauseMs });
  }
}

interface PauseOptions {
  readonly clock: Clock;
  /** It has the pause that the service's headers state. */
  readonly pace: Pace;
  /** The longest pause that a request waits for, if the service asks for it. */
  readonly maxMs: number;
}

const latest = 8.64e15; // the latest possible Date
const jitterShare = 0.1; // not all clients of a service at the same moment
const maxJitterMs = 1000;
const sameMs = 1000; // responses that name the same moment name it in whole seconds

/** A time in which the whole client sends nothing. The service asks for it, or the client takes it because too much fails. */
export class Pause {
  readonly #options: PauseOptions;
  #untilAt = -Infinity;
  #askedUntilAt = -Infinity;
  #announcedUntilAt = -Infinity;

  constructor(options: PauseOptions) {
    this.#options = options;
  }

  /** How much longer it lasts. */
  get ms(): number {
    return this.msAt(this.#now);
  }

  /** The same, for who has read the clock. */
  msAt(now: number): number {
    return Math.max(0, this.#untilAt - now, (this.#options.pace.pausedUntil ?? -Infinity) - now);
  }

  /** When it ends, in milliseconds since 1970. undefined without a pause. */
  get until(): number | undefined {
    return this.ms === 0 ? undefined : this.#wallIn(this.ms);
  }

  /** When the service accepts requests again, in milliseconds since 1970, if that is longer than a request waits. */
  get tooLongUntil(): number | undefined {
    const ms = Math.max(this.#askedUntilAt - this.#now, this.#paceMs);
    return ms > this.#options.maxMs ? this.#wallIn(ms) : undefined;
  }

  /** How long it lasts, if it is new, or ends clearly later than at the last call. */
  unannounced(): number | undefined {
    const { ms } = this;
    const untilAt = this.#now + ms;
    if (ms === 0 || untilAt < this.#announcedUntilAt + sameMs) return undefined;
    this.#announcedUntilAt = untilAt;
    return ms;
  }

  /** Sends nothing for this long. A longer pause already in effect stays. */
  take(ms: number): void {
    this.#untilAt = Math.max(this.#untilAt, this.#now + ms);
  }

  /** The service asks for a pause. It is never shorter than that. */
  require(ms: number): void {
    this.#askedUntilAt = Math.max(this.#askedUntilAt, this.#now + ms);
    this.take(ms + this.#options.clock.random() * Math.min(maxJitterMs, ms * jitterShare));
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  get #paceMs(): number {
    return (this.#options.pace.pausedUntil ?? -Infinity) - this.#now;
  }

  #wallIn(ms: number): number {
    return Math.min(this.#options.clock.wall() + ms, latest);
  }
}
