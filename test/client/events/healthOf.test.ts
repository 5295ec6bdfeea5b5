import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { ClientEvent } from '../../../src/client/events/clientEvents.ts';
import { healthOf } from '../../../src/client/events/healthOf.ts';
import { BudgetError, TrawlerError } from '../../../src/errors/index.ts';
import { VirtualClock } from '../../../src/testing/VirtualClock.ts';

function look() {
  const clock = new VirtualClock();
  const events = new Subject<ClientEvent>();
  const health = healthOf(['mapsReviews', 'mapsSearch'], events, clock);
  const seen: string[] = [];
  const looking = health.subscribe({ next: (states) => seen.push(states['mapsReviews']!), complete: () => seen.push('over') });
  const tell = (type: 'request' | 'response' | 'failure', attempt: number, error: Error = new TrawlerError('x')): void => {
    const base = { operation: 'mapsReviews', query: {}, at: 0, id: 1, attempt };
    events.next({ ...base, type, error, status: 200, ms: 1, bytes: 1, items: 1, requestId: 'x' } as ClientEvent);
  };
  return { clock, events, health, seen, looking, tell };
}

describe('healthOf', () => {
  it('has no data, then loads, then is healthy, and has no data again after a minute', () => {
    const { clock, seen, tell } = look();
    tell('request', 1);
    tell('response', 1);
    clock.advance(59_000);
    expect(seen).toEqual(['No data', 'Loading', 'Healthy']);
    clock.advance(2_000);
    expect(seen).toEqual(['No data', 'Loading', 'Healthy', 'No data']);
  });

  it.each([
    [95, 5, 'Healthy'],
    [94, 6, 'Available Limited'],
    [50, 50, 'Available Limited'],
    [49, 51, 'Mostly unavailable'],
    [0, 1, 'Mostly unavailable'],
  ])('with %i calls that got a page at the first attempt and %i others, it is %s', (good, bad, word) => {
    const { seen, tell } = look();
    for (let n = 0; n < good + bad; n++) tell(n % 2 === 0 && n >= good ? 'failure' : 'response', n < good ? 1 : 2);
    expect(seen.at(-1)).toBe(word);
  });

  it('leaves out calls that were never sent, or that the budget refused', () => {
    const { seen, tell } = look();
    tell('failure', 0);
    tell('failure', 1, new BudgetError('none left'));
    expect(seen).toEqual(['No data']);
  });

  it('gives a late subscriber the state at once, and counts nothing when nobody looks', () => {
    const { clock, events, health, looking, tell } = look();
    tell('response', 1);
    let late: object = {};
    health.subscribe((states) => (late = states)).unsubscribe();
    expect(late).toEqual({ mapsReviews: 'Healthy', mapsSearch: 'No data' });
    clock.advance(2_000);
    looking.unsubscribe();
    expect([events.observed, clock.timers]).toEqual([false, 0]);
  });

  it('ends with the client, also for who comes later', () => {
    const { clock, events, health, seen } = look();
    events.complete();
    health.subscribe({ complete: () => seen.push('late over') });
    expect(seen).toEqual(['No data', 'over', 'late over']);
    expect(clock.timers).toBe(0);
  });
});
