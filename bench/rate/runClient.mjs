import { EventQueue } from './EventQueue.mjs';
import { seeded } from './seeded.mjs';

const [maxAttempts, baseMs, capMs] = [5, 500, 30_000];

/** @type {typeof import('./runClient.mjs').runClient} */
export function runClient(setup) {
  const {
    service,
    pace,
    retryAfter,
    pauses = true,
    holdsSlot = false,
    concurrency,
    latencyMs,
    jitter = 0.25,
    connectMs = 0,
    untilMs,
    seed,
  } = setup;
  let connections = 0;
  const random = seeded(seed);
  const queue = new EventQueue();
  /** @type {number[]} calls whose wait is over, by their next attempt */
  const ready = [];
  let [requests, answered, throttled, lost, inFlight, waiting, pausedUntil, wakeAt] = [0, 0, 0, 0, 0, 0, 0, Infinity];
  let [firstRefusedAt, firstBurst] = [Infinity, 0];

  function send(now, attempt) {
    inFlight += 1;
    requests += 1;
    pace.started(now);
    const way = { startedAt: now, inFlight };
    const trip = latencyMs * (1 + jitter * (2 * random() - 1));
    const connecting = connectMs > 0 && connections++ < concurrency ? connectMs * random() : 0;
    queue.add(now + connecting + trip / 2, (arrival) => {
      const refusedMs = service.ask(arrival);
      if (refusedMs !== undefined) {
        queue.add(arrival + trip / 2, (back) => refuse(back, way, attempt, refusedMs));
        return;
      }
      queue.add(arrival + (service.takesMs?.(arrival) ?? 0), (served) => {
        service.served?.();
        queue.add(served + trip / 2, (back) => succeed(back, way));
      });
    });
  }

  function succeed(now, way) {
    inFlight -= 1;
    answered += 1;
    pace.succeeded(now, way);
  }

  function refuse(now, way, attempt, refusedMs) {
    inFlight -= 1;
    throttled += 1;
    if (way.startedAt < firstRefusedAt) firstBurst += 1;
    firstRefusedAt = Math.min(firstRefusedAt, now);
    const told = retryAfter ? Math.max(1, Math.ceil(refusedMs / 1000)) * 1000 : undefined;
    pace.throttled(now, way, told);
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
      const waitMs = Math.max(pausedUntil - now, pace.waitMs(now, inFlight));
      if (waitMs === Infinity) return;
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
  const waste = throttled / requests;
  return { requests, answered, throttled, firstBurst, lost, share: answered / possible, waste };
}
