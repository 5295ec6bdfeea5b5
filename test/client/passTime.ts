import type { Client } from '../../src/createClient.ts';
import type { VirtualClock } from '../../src/testing/VirtualClock.ts';

/** Lets a client's waits pass: each time nothing but a wait is left, the clock moves on to its end. */
export async function passTime<T>(client: Client, clock: VirtualClock, result: Promise<T>): Promise<T> {
  const state = { over: false };
  const done = result.finally(() => (state.over = true));
  while (!state.over) {
    await new Promise((turn) => setImmediate(turn));
    if (!state.over && client.stats().inFlight === 0 && clock.nextMs !== undefined) clock.advance(clock.nextMs);
  }
  return done;
}
