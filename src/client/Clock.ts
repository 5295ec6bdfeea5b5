/** The client's source of time and random numbers. Pass your own to test waits. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Milliseconds since 1970. Used only for dates in headers and events. */
  wall(): number;
  /** Calls `run` after `ms`. Returns a cancel function. `idle`: the timer alone doesn't keep the process alive. */
  after(ms: number, run: () => void, idle?: 'idle'): () => void;
  /** A random number from 0 up to, but not including, 1. */
  random(): number;
}

const maxTimerMs = 2 ** 31 - 1; // setTimeout fires at once for anything longer

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run, idle) {
    const timer = setTimeout(run, Math.min(Math.max(0, Math.ceil(ms)), maxTimerMs));
    if (idle === 'idle') timer.unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
};
