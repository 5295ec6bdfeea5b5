/** @typedef {import('./services.mjs').Service} Service */

/**
 * @typedef {object} Pace
 * @property {(now: number) => number} waitMs
 * @property {(now: number) => void} started
 * @property {(now: number, startedAt: number) => void} succeeded
 * @property {(now: number, startedAt: number, retryAfterMs: number | undefined) => void} throttled
 *
 * @typedef {object} Setup
 * @property {Service} service
 * @property {Pace} pace
 * @property {boolean} retryAfter Whether the service says how long to wait, in whole seconds.
 * @property {boolean} [pauses] Whether a Retry-After pauses the whole client or just the one call. Default true.
 * @property {boolean} [holdsSlot] Whether a call keeps its place among `concurrency` while it waits for its retry. Default false.
 * @property {number} concurrency
 * @property {number} latencyMs
 * @property {number} [jitter] Share of the latency that varies, either way. Default 0.25.
 * @property {number} [maxAttempts] Default 5.
 * @property {number} untilMs
 * @property {number} seed
 *
 * @typedef {object} Outcome
 * @property {number} requests
 * @property {number} answered
 * @property {number} throttled
 * @property {number} lost Calls that used up their attempts.
 * @property {number} share Of what is allowed, or of what the concurrency can do where that is less.
 * @property {number} waste Share of the requests that were answered with 429.
 */

const [baseMs, capMs] = [500, 30_000];

/**
 * A client that always has something to ask, as the real one admits it: concurrency, pause, full jitter, five attempts. Nothing
 * waits for real: time jumps from event to event, so the same seed gives the same figures.
 *
 * @param {Setup} setup
 * @returns {Outcome}
 */
export function runClient(setup) {
  const { service, pace, retryAfter, pauses = true, holdsSlot = false, concurrency, latencyMs, jitter = 0.25, untilMs } = setup;
  const maxAttempts = setup.maxAttempts ?? 5;
  const random = mulberry32(setup.seed);
  const queue = new EventQueue();
  /** @type {number[]} attempts made so far by calls whose wait is over */
  const ready = [];
  let [requests, answered, throttled, lost, inFlight, waiting, pausedUntil, wakeAt] = [0, 0, 0, 0, 0, 0, 0, Infinity];

  const send = (/** @type {number} */ now, /** @type {number} */ attempt) => {
    inFlight += 1;
    requests += 1;
    pace.started(now);
    const trip = latencyMs * (1 + jitter * (2 * random() - 1));
    queue.add(now + trip / 2, (arrival) => {
      const answer = service.ask(arrival);
      queue.add(now + trip, (back) => receive(back, now, attempt, answer));
    });
  };

  const receive = (
    /** @type {number} */ now,
    /** @type {number} */ startedAt,
    /** @type {number} */ attempt,
    /** @type {import('./services.mjs').Answer} */ answer,
  ) => {
    inFlight -= 1;
    if (answer.ok) {
      answered += 1;
      pace.succeeded(now, startedAt);
      return;
    }
    throttled += 1;
    const told = retryAfter ? Math.max(1, Math.ceil((answer.retryAfterMs ?? 0) / 1000)) * 1000 : undefined;
    pace.throttled(now, startedAt, told);
    if (attempt === maxAttempts) {
      lost += 1;
      return;
    }
    const delay =
      told === undefined ? random() * Math.min(capMs, baseMs * 2 ** (attempt - 1)) : told + random() * Math.min(1000, told / 10);
    if (told !== undefined && pauses) pausedUntil = Math.max(pausedUntil, now + delay);
    waiting += 1;
    queue.add(now + delay, () => {
      waiting -= 1;
      ready.push(attempt + 1);
    });
  };

  const admit = (/** @type {number} */ now) => {
    while (inFlight + (holdsSlot ? waiting : 0) < concurrency) {
      const wait = Math.max(pausedUntil - now, pace.waitMs(now));
      if (wait > 0) {
        const due = now + Math.ceil(wait) + random() * 0.3; // timers have whole milliseconds, and are late
        if (due < wakeAt - 1) {
          wakeAt = due;
          queue.add(due, () => {
            if (wakeAt === due) wakeAt = Infinity;
          });
        }
        return;
      }
      send(now, ready.shift() ?? 1);
    }
  };

  admit(0);
  for (let event = queue.next(); event && event.at < untilMs; event = queue.next()) {
    event.run(event.at);
    admit(event.at);
  }
  const possible = (concurrency / latencyMs) * untilMs;
  return {
    requests,
    answered,
    throttled,
    lost,
    share: answered / Math.min(service.allowed(untilMs), possible),
    waste: throttled / requests,
  };
}

/** Events in order of time: a binary heap. */
class EventQueue {
  /** @type {{ at: number, run: (now: number) => void }[]} */
  #heap = [];

  add(/** @type {number} */ at, /** @type {(now: number) => void} */ run) {
    const heap = this.#heap;
    let i = heap.length;
    for (let parent = (i - 1) >> 1; i > 0 && heap[parent].at > at; parent = (i - 1) >> 1) {
      heap[i] = heap[parent];
      i = parent;
    }
    heap[i] = { at, run };
  }

  next() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1].at < heap[child].at) child += 1;
      if (heap[child].at >= last.at) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

/** Random numbers that a seed repeats. */
function mulberry32(/** @type {number} */ seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
