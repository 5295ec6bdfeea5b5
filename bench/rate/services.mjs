/** @type {typeof import('./services.mjs').tokenBucket} */
export function tokenBucket(perSecond, burst) {
  const steps = typeof perSecond === 'number' ? [[0, perSecond]] : perSecond;
  const filled = (from, to) =>
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
      if (tokens < 1 - 1e-9) return (1000 * (1 - tokens)) / filled(now, now + 1000);
      tokens -= 1;
      return undefined;
    },
    allowed: (untilMs) => burst + filled(0, untilMs),
  };
}

/** @type {typeof import('./services.mjs').fixedWindow} */
export function fixedWindow(requests, perMs, phase = 0) {
  const offsetMs = perMs * phase;
  let window = -1;
  let used = 0;
  return {
    ask(now) {
      const current = Math.floor((now + offsetMs) / perMs);
      if (current !== window) [window, used] = [current, 0];
      if (used >= requests) return (current + 1) * perMs - offsetMs - now;
      used += 1;
      return undefined;
    },
    // The whole of the first window may be used in what is left of it.
    allowed: (untilMs) => (requests * (untilMs + offsetMs)) / perMs,
  };
}

/** @type {typeof import('./services.mjs').slidingWindow} */
export function slidingWindow(requests, perMs) {
  const times = new Float64Array(requests).fill(-Infinity);
  let oldest = 0;
  return {
    ask(now) {
      const freeAt = times[oldest] + perMs;
      if (now < freeAt) return freeAt - now;
      times[oldest] = now;
      oldest = (oldest + 1) % requests;
      return undefined;
    },
    allowed: (untilMs) => requests * Math.ceil(untilMs / perMs),
  };
}

/** @type {typeof import('./services.mjs').inFlightLimit} */
export function inFlightLimit(most, takesMs) {
  let taken = 0;
  return {
    ask() {
      if (taken >= most) return 1;
      taken += 1;
      return undefined;
    },
    takesMs: () => takesMs,
    served() {
      taken -= 1;
    },
    allowed: (untilMs) => (most * untilMs) / takesMs,
  };
}

/** @type {typeof import('./services.mjs').delayingBucket} */
export function delayingBucket(perSecond, burst) {
  let freeAt = 0;
  return {
    ask(now) {
      const ahead = (Math.max(0, freeAt - now) * perSecond) / 1000;
      if (ahead > burst) return (1000 * (ahead - burst)) / perSecond;
      freeAt = Math.max(freeAt, now) + 1000 / perSecond;
      return undefined;
    },
    takesMs: (now) => freeAt - 1000 / perSecond - now,
    allowed: (untilMs) => 1 + (perSecond * untilMs) / 1000,
  };
}

/** @type {typeof import('./services.mjs').leakyNginx} */
export function leakyNginx(perSecond, burst, delay = false) {
  // As ngx_http_limit_req_module counts: thousandths of a request, whole milliseconds, nothing changed by a refusal.
  let excess = 0;
  let last;
  let tookMs = 0;
  return {
    ask(now) {
      const at = Math.floor(now);
      const next = last === undefined ? 0 : Math.max(0, excess - Math.floor(perSecond * Math.abs(at - last)) + 1000);
      if (next > 1000 * burst) return (next - 1000 * burst) / perSecond;
      [excess, last] = [next, at];
      tookMs = delay ? Math.floor(excess / perSecond) : 0;
      return undefined;
    },
    takesMs: () => tookMs,
    allowed: (untilMs) => 1 + (delay ? 0 : burst) + (perSecond * untilMs) / 1000,
  };
}
