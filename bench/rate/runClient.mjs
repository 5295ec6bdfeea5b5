import { EventQueue } from './EventQueue.mjs';
import { seeded } from './seeded.mjs';

const [maxAttempts, baseMs, capMs] = [5, 500, 30_000];

/** @type {typeof import('./runClient.mjs').runClient} */
export function runClient(setup) {
  const { service, pace, retryAfter, pauses = true, holdsSlot = false, concurrency, latencyMs, jitter = 0.25, untilMs, seed } = setup;
  const random = seeded(seed);
  const queue = new EventQueue();
  /** @type {number[]} calls whose wait is over, by their next attempt */
  const ready = [];
  let [requests, answered, throttled, lost, inFlight, waiting, pausedUntil, wakeAt] = [0, 0, 0, 0, 0, 0, 0, Infinity];

  function send(now, attempt) {
    inFlight += 1;
    requests += 1;
    pace.started(now);
    const trip = latencyMs * (1 + jitter * (2 * random() - 1));
    queue.add(now + trip / 2, (arrival) => {
      const refusedMs = service.ask(arrival);
      queue.add(now + trip, (back) => (refusedMs === undefined ? succeed(back, now) : refuse(back, now, attempt, refusedMs)));
    });
  }

  function succeed(now, startedAt) {
    inFlight -= 1;
    answered += 1;
    pace.succeeded(now, startedAt);
  }

  function refuse(now, startedAt, attempt, refusedMs) {
    inFlight -= 1;
    throttled += 1;
    const told = retryAfter ? Math.max(1, Math.ceil(refusedMs / 1000)) * 1000 : undefined;
    pace.throttled(now, startedAt, told);
    if (attempt === maxAttempts) {
      lost += 1;
      return;
    }
    const backoffMs = random() * Math.min(capMs, baseMs * 2 ** (attempt - 1));
    const delayMs = told === undefined ? backoffMs : told + random() * Math.min(1000, told / 10);
    if (told !== undefined && pauses) pausedUntil = Math.max(pausedUntil, now + delayMs);
    waiting += 1;
    queue.add(now + delayMs, () => {
      waiting -= 1;
      ready.push(attempt + 1);
    });
  }

  const full = () => inFlight + (holdsSlot ? waiting : 0) >= concurrency;

  function admit(now) {
    while (!full()) {
      const waitMs = Math.max(pausedUntil - now, pace.waitMs(now));
      if (waitMs > 0) {
        wake(now + Math.ceil(waitMs) + random() * 0.3); // timers have whole milliseconds, and are late
        return;
      }
      send(now, ready.shift() ?? 1);
    }
  }

  function wake(at) {
    if (at >= wakeAt - 1) return;
    wakeAt = at;
    queue.add(at, () => {
      if (wakeAt === at) wakeAt = Infinity;
    });
  }

  admit(0);
  for (let event = queue.next(); event !== undefined && event.at < untilMs; event = queue.next()) {
    event.run(event.at);
    admit(event.at);
  }
  const possible = Math.min(service.allowed(untilMs), (concurrency / latencyMs) * untilMs);
  return { requests, answered, throttled, lost, share: answered / possible, waste: throttled / requests };
}
