/** Time and chance, as the client sees them; give another one to test what waits. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Milliseconds since 1970; only for dates in headers and events. */
  wall(): number;
  /** Calls `run` after `ms`; the function that is returned takes that back. `idle`: it alone doesn't keep the process alive. */
  after(ms: number, run: () => void, idle?: 'idle'): () => void;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

const longest = 2 ** 31 - 1; // setTimeout fires at once on anything longer

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run, idle) {
    const timer = setTimeout(run, Math.min(Math.max(0, Math.ceil(ms)), longest));
    if (idle === 'idle') timer.unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
