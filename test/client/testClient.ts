import type { Observable } from 'rxjs';
import type { Client } from '../../src/createClient.ts';
import type { ClientEvent } from '../../src/client/events/clientEvents.ts';
import type { ClientOptions } from '../../src/client/ClientOptions.ts';
import { createClient } from '../../src/createClient.ts';

export const testKey = 'k3y-for-tests-only';

/** A client of a test server: no limit on the rate, unless the test says so. */
export function testClient(baseUrl: string, options: ClientOptions = {}): Client {
  return createClient({ baseUrl, apiKey: testKey, rate: 'unlimited', ...options });
}

/** What an Observable came to: its values, or its error. */
export async function outcome<T>(source: Observable<T>): Promise<{ values: T[]; error?: unknown }> {
  const values: T[] = [];
  return new Promise((done) => {
    source.subscribe({
      next: (value) => values.push(value),
      error: (error: unknown) => done({ values, error }),
      complete: () => done({ values }),
    });
  });
}

/** The error that an Observable ended with. */
export async function errorOf(source: Observable<unknown>): Promise<unknown> {
  const { error, values } = await outcome(source);
  if (error === undefined) throw new Error(`it came to ${values.length} values instead of an error`);
  return error;
}

/** All events of a client from now on. */
export function eventsOf(client: Client): ClientEvent[] {
  const events: ClientEvent[] = [];
  client.events$.subscribe((event) => events.push(event));
  return events;
}

// Also where a test has replaced them.
const { setImmediate: nextTurn, setTimeout: later } = globalThis;

/** Waits until `ready`: at first turn of the event loop by turn, then by milliseconds, which leave the CPU to what it waits for. */
export async function until(ready: () => boolean, what = 'it'): Promise<void> {
  const end = Date.now() + 60_000;
  for (let turns = 0; !ready(); turns++) {
    if (Date.now() > end) throw new Error(`${what} did not happen within 60 s`);
    await new Promise<void>((over) => void (turns < 50 ? nextTurn(over) : later(over, 2)));
  }
}

/** A data object of reviews without drift. */
export function reviews(...texts: string[]): { reviews_results: object[] } {
  return { reviews_results: texts.map((snippet) => ({ snippet })) };
}
