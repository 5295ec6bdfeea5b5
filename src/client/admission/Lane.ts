import type { ReadLimit } from '../attempt/parseRateLimit.ts';
import type { Clock } from '../Clock.ts';
import type { Pace } from '../rate/Pace.ts';
import { Pause } from './Pause.ts';

interface LaneOptions {
  /** Its index among all. The main one is the first. */
  readonly index: number;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly readLimit: ReadLimit;
  /** The body tells of the limit. */
  readonly inBody: boolean;
  /** The longest pause that a request waits for, if the service asks for it. */
  readonly maxPauseMs: number;
}

/** Requests that share a limit of the service: those of a group of operations, or all that are in no such group. */
export class Lane {
  readonly index: number;
  readonly pace: Pace;
  readonly pause: Pause;
  /** Reads what a response says about the limit. */
  readonly readLimit: ReadLimit;
  /** The body tells of the limit, so no request goes before it is read. */
  readonly inBody: boolean;
  /** What its requests in flight take of the limit. */
  inFlight = 0;

  constructor({ index, clock, pace, readLimit, inBody, maxPauseMs }: LaneOptions) {
    this.index = index;
    this.pace = pace;
    this.readLimit = readLimit;
    this.inBody = inBody;
    this.pause = new Pause({ clock, pace, maxMs: maxPauseMs });
  }
}

/** Which limit a request counts against, and for how much. */
export interface Charge {
  readonly lane: Lane;
  /** It changes where responses say what such requests take. */
  cost: number;
}
