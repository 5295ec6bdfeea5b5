import { FixedPace, type RateLimitReport } from './Pace.ts';

type EvenLimit = Extract<RateLimitReport, { readonly requests: number }>;

/** What headers say: the room at a time, and how much there may be after a reset. */
interface Stated {
  readonly at: number;
  readonly room: number;
  readonly size: number;
  /** -Infinity: it says nothing any more. */
  readonly until: number;
  /** Nothing is left, and it doesn't say until when. */
  readonly isEmpty: boolean;
}

const nothing: Stated = { at: -Infinity, room: Infinity, size: 0, until: -Infinity, isEmpty: false };
const sameMs = 1000; // a reset in whole seconds
const patience = 3;
const startsKept = 100; // the first responses state a limit, so few starts come before it is known

/**
 * A limit that the service states in its headers: how much more it accepts, and until when if it says so. The room includes what is in
 * flight, because a response doesn't say whether the service has counted other requests. The limit is trusted until it has been wrong
 * three times: the service refuses although there was room, or repeatedly says that there is none and still responds.
 */
export class AnnouncedLimit {
  #stated = nothing;
  #wrong = 0;
  /** Nothing more can be sent before the reset. */
  #isOut = false;
  /** When the latest request started whose response stated it. */
  #asOf = -Infinity;
  /** No success has been held against it yet. Several responses may arrive before the first of them is read. */
  #isNew = false;
  /** The statement of the last success that said that nothing is left. */
  #before = nothing;
  /** The requests in any such time, if that is all that the service says. */
  #even: { readonly report: EvenLimit; readonly pace: FixedPace } | undefined;
  /** When the last requests started. The service has counted them when it first says so. */
  readonly #starts: number[] = [];

  /** The time until which nothing is left. */
  get pausedUntil(): number {
    return this.#wrong < patience && this.#isOut ? this.#stated.until : -Infinity;
  }

  waitMs(now: number, inFlight: number): number {
    if (this.#wrong >= patience) return 0;
    const { until } = this.#stated;
    if (inFlight + 1 <= roomAt(this.#stated, now)) return this.#even?.pace.waitMs(now) ?? 0;
    if (inFlight > 0) return Infinity;
    if (until === Infinity) return 0;
    this.#isOut = true;
    return Math.max(0, until - now);
  }

  started(now: number): void {
    if (this.#even !== undefined) this.#even.pace.started(now);
    else if (this.#starts.push(now) > startsKept) this.#starts.shift();
  }

  told(now: number, startedAt: number, report: RateLimitReport): void {
    if ('requests' in report) {
      const { requests, perMs } = this.#even?.report ?? {};
      if (report.requests === requests && report.perMs === perMs) return;
      const pace = new FixedPace(report);
      // The service counts a request when it comes, which may be as late as this response.
      for (const at of this.#starts.splice(0)) if (at > now - report.perMs) pace.started(now);
      this.#even = { report, pace };
      return;
    }
    const next = statedBy(report, now, this.#stated.size);
    // Of requests in flight at the same time, the service counted last the one whose response states the least room.
    const isSame = now < this.#stated.until && isSameTime(next.until, this.#stated.until);
    const isNext = next.until > now && this.#stated.until <= now;
    const isLater =
      isNext || startedAt >= this.#stated.at || (isSame ? report.remaining <= roomAt(this.#stated, now) : startedAt >= this.#asOf);
    if (!isLater) return;
    this.#stated = next;
    this.#asOf = Math.max(this.#asOf, startedAt);
    this.#isNew = true;
    this.#isOut = next.room === 0;
    this.#even = undefined;
  }

  succeeded(now: number, startedAt: number): void {
    if (this.#stated.until !== -Infinity && startedAt >= this.#stated.until) this.#stated = { ...this.#stated, until: -Infinity };
    if (!this.#isNew || startedAt !== this.#asOf) return;
    const [before, { isEmpty, room, until }] = [this.#before, this.#stated];
    const isNone = room <= 0;
    if (isEmpty && before.isEmpty) this.#wrong++;
    if (isNone && isSameTime(until, before.until) && until - now > sameMs) this.#wrong++;
    this.#before = { ...before, isEmpty, until: isNone ? until : before.until };
    if (isNone) this.#isNew = false;
  }

  /** `inFlight`: what was in flight when the refused request started, including it. */
  refused(now: number, inFlight: number): void {
    this.#before = { ...this.#before, isEmpty: false };
    if (this.#even !== undefined || (now < this.#stated.until && inFlight < roomAt(this.#stated, now))) this.#wrong++;
  }
}

function statedBy(report: Exclude<RateLimitReport, EvenLimit>, at: number, sizeBefore: number): Stated {
  const { remaining } = report;
  const until = at + (report.resetMs ?? Infinity);
  const isEmpty = remaining === 0 && until === Infinity;
  // one request tells whether more is left
  return { at, room: isEmpty ? 1 : remaining, size: Math.max(sizeBefore, remaining + 1), until, isEmpty };
}

/** The room, what is in flight included. After a reset one request tells how much there is. */
function roomAt({ room, size, until }: Stated, now: number): number {
  if (until === -Infinity) return Infinity;
  if (now < until) return room;
  return room === 0 ? 1 : Math.max(1, size);
}

function isSameTime(one: number, other: number): boolean {
  return one === other || Math.abs(one - other) < sameMs;
}
