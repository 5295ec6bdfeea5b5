/**
 * Services with a limit, in virtual time.
 *
 * @typedef {{ readonly ok: boolean, readonly retryAfterMs?: number }} Answer
 * @typedef {object} Service
 * @property {(now: number) => Answer} ask A request arrives.
 * @property {(untilMs: number) => number} allowed How many requests it lets through from 0 on.
 */

/**
 * A bucket that fills evenly. `perSecond` may change: `[fromMs, perSecond]` in order.
 *
 * @param {number | ReadonlyArray<readonly [number, number]>} perSecond
 * @param {number} burst
 * @returns {Service}
 */
export function tokenBucket(perSecond, burst) {
  const steps = typeof perSecond === 'number' ? [[0, perSecond]] : perSecond;
  const filled = (/** @type {number} */ from, /** @type {number} */ to) =>
    steps.reduce((sum, [start, rate], i) => {
      const end = steps[i + 1]?.[0] ?? Infinity;
      return sum + (Math.max(0, Math.min(to, end) - Math.max(from, start)) * rate) / 1000;
    }, 0);
  let tokens = burst;
  let at = 0;
  return {
    ask(now) {
      tokens = Math.min(burst, tokens + filled(at, now));
      at = now;
      if (tokens >= 1 - 1e-9) {
        tokens -= 1;
        return { ok: true };
      }
      const rate = filled(now, now + 1000);
      return { ok: false, retryAfterMs: ((1 - tokens) / rate) * 1000 };
    },
    allowed: (untilMs) => burst + filled(0, untilMs),
  };
}

/**
 * So many in each window of the clock; the first one has begun before the client came.
 *
 * @param {number} requests
 * @param {number} perMs
 * @param {number} [phase] How much of the first window is over, from 0 to 1.
 * @returns {Service}
 */
export function fixedWindow(requests, perMs, phase = 0) {
  const offset = perMs * phase;
  let window = -1;
  let used = 0;
  return {
    ask(now) {
      const current = Math.floor((now + offset) / perMs);
      if (current !== window) [window, used] = [current, 0];
      if (used < requests) {
        used += 1;
        return { ok: true };
      }
      return { ok: false, retryAfterMs: (current + 1) * perMs - offset - now };
    },
    // What is left over of the first window counts as a whole one, and so does the last.
    allowed: (untilMs) => (requests * untilMs) / perMs + requests * phase,
  };
}

/**
 * So many in any window, wherever it begins.
 *
 * @param {number} requests
 * @param {number} perMs
 * @returns {Service}
 */
export function slidingWindow(requests, perMs) {
  const ring = new Float64Array(requests).fill(-Infinity);
  let i = 0;
  return {
    ask(now) {
      const oldest = ring[i];
      if (now - oldest < perMs) return { ok: false, retryAfterMs: oldest + perMs - now };
      ring[i] = now;
      i = (i + 1) % requests;
      return { ok: true };
    },
    allowed: (untilMs) => requests * Math.ceil(untilMs / perMs),
  };
}
