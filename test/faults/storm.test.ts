import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { delayingBucket, fixedWindow, inFlightLimit, slidingWindow, tokenBucket, type Service } from '../../bench/rate/services.mjs';
import type { Clock } from '../../src/client/Clock.ts';
import { createClient } from '../../src/createClient.ts';
import { envelope } from '../client/startServer.ts';
import { seeded } from '../files/seeded.ts';

const services = process.env['TRAWLER_LONG'] === '1' ? 300 : 6;
const firstSeed = Number(process.env['TRAWLER_SEED'] ?? 0);

const untilMs = 40_000;
const firstMs = 8_000;

/** Things to happen, in order of their time. */
class EventQueue {
  readonly #events: { readonly at: number; readonly run: (now: number) => void }[] = [];

  add(at: number, run: (now: number) => void): void {
    const later = this.#events.findIndex((other) => other.at > at);
    this.#events.splice(later === -1 ? this.#events.length : later, 0, { at, run });
  }

  next(): { readonly at: number; readonly run: (now: number) => void } | undefined {
    return this.#events.shift();
  }
}

interface Outcome {
  readonly about: string;
  /** Requests after the first seconds, and how many the service would have served. */
  readonly sent: number;
  readonly served: number;
  readonly could: number;
  readonly lost: number;
}

/** A client of a service that limits in one way or another, for 40 s of its own time. */
async function crawl(seed: number): Promise<Outcome> {
  const random = seeded(seed * 7919 + 1);
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const rate = 1 + Math.floor(random() ** 2 * 50);
  const burst = 1 + Math.floor(random() * 2 * rate);
  const [limit, service] = any<() => readonly [string, Service]>([
    () => [`${rate} a second, burst ${burst}`, tokenBucket(rate, burst)],
    () => [`${rate} in each second`, fixedWindow(rate, 1000, random())],
    () => [`${4 * rate} in any 4 s`, slidingWindow(4 * rate, 4000)],
    () => [`${1 + (rate % 8)} in flight`, inFlightLimit(1 + (rate % 8), 100)],
    () => [`${rate} a second, ${burst} may wait`, delayingBucket(rate, burst)],
  ])();
  const refusal = any(['429', '503', '429 and a wait', '503 and a wait', 'ECONNREFUSED', 'ECONNRESET']);
  const concurrency = 1 + Math.floor(random() * 32);
  const latencyMs = 2 + Math.floor(random() * 150);
  const about = `seed ${seed}: ${limit}, told by ${refusal}, ${concurrency} at once, ${latencyMs} ms`;

  const queue = new EventQueue();
  let now = 0;
  let [sent, served] = [0, 0];
  const clock: Clock = {
    now: () => now,
    wall: () => 1_900_000_000_000 + now,
    after(ms, run) {
      let wanted = true;
      queue.add(now + Math.max(0, ms), () => wanted && run());
      return () => void (wanted = false);
    },
    random,
  };
  const body = Buffer.from(envelope({ suggestions: [] }));
  const dispatch = (_: unknown, handler: Required<Dispatcher.DispatchHandler>): boolean => {
    const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController;
    const end = (status: number, headers: { [name: string]: string } = {}): void => {
      handler.onResponseStart(controller, status, headers);
      handler.onResponseData(controller, status === 200 ? body : Buffer.alloc(0));
      handler.onResponseEnd(controller, {});
    };
    if (now >= firstMs) sent += 1;
    handler.onRequestStart(controller, {});
    queue.add(now + latencyMs / 2, (at: number) => {
      const refusedMs = service.ask(at);
      if (refusedMs === undefined) {
        queue.add(at + (service.takesMs?.(at) ?? 0), (done: number) => {
          service.served?.();
          queue.add(done + latencyMs / 2, () => {
            if (now >= firstMs) served += 1;
            end(200);
          });
        });
      } else {
        queue.add(at + latencyMs / 2, () => {
          if (refusal.startsWith('E')) handler.onResponseError(controller, Object.assign(new Error(refusal), { code: refusal }));
          else end(Number(refusal.slice(0, 3)), refusal.includes('wait') ? { 'retry-after': String(Math.ceil(refusedMs / 1000)) } : {});
        });
      }
    });
    return true;
  };
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'k',
    clock,
    concurrency,
    dispatcher: { dispatch } as unknown as Dispatcher,
    timeoutMs: 1e9,
  });
  let asked = 0;
  const ask = (): void => {
    if (now < untilMs) client.autocomplete({ query: `q${asked++}` }).subscribe({ error: ask, complete: ask });
  };
  for (let n = 0; n < 64; n++) ask();
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 4; turn++) await Promise.resolve();
  };
  await settled();
  for (let next = queue.next(); next !== undefined && next.at < untilMs; next = queue.next()) {
    now = Math.max(now, next.at);
    next.run(now);
    await settled();
  }
  now = untilMs;
  const { failures } = client.stats();
  await client.close();
  const could = service.allowed(untilMs) - service.allowed(firstMs);
  return { about, sent, served, could, lost: failures };
}

describe('a service that limits, in whatever way', () => {
  it('gets at most twice the requests that it serves, beyond the first seconds', async () => {
    const wrong: Outcome[] = [];
    for (let seed = firstSeed; seed < firstSeed + services; seed++) {
      const outcome = await crawl(seed);
      if (outcome.sent > 2 * outcome.served + 10) wrong.push(outcome);
    }
    expect(wrong).toEqual([]);
  });
});
