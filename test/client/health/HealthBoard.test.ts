import { describe, expect, it } from 'vitest';
import type { HealthState } from '../../../src/client/events/clientEvents.ts';
import { HealthBoard, type Health } from '../../../src/client/health/HealthBoard.ts';
import { VirtualClock } from '../../../src/testing/VirtualClock.ts';

function set(options: { windowMs?: number; healthy?: number; limited?: number } = {}) {
  const clock = new VirtualClock();
  const changes: string[] = [];
  const changed = (operation: string, from: HealthState, to: HealthState): void => void changes.push(`${operation}: ${from} → ${to}`);
  const shares = { clock, windowMs: 300_000, healthy: 0.95, limited: 0.5, ...options };
  const board = new HealthBoard(['mapsReviews', 'mapsSearch'], shares, changed);
  /** The present state, asked for as a newcomer would. */
  const state = (): HealthState => {
    let seen: Health | undefined;
    board.stream.subscribe((health) => (seen = health)).unsubscribe();
    return seen!['mapsReviews']!;
  };
  const calls = (good: number, bad: number): void => {
    for (let n = 0; n < good + bad; n++) {
      board.began('mapsReviews');
      board.ended('mapsReviews', n < good);
    }
  };
  return { clock, changes, board, state, calls };
}

describe('HealthBoard', () => {
  it('knows nothing, then loads, then knows', () => {
    const { board, changes, state } = set();
    expect(state()).toBe('No data');
    board.began('mapsReviews');
    board.began('mapsReviews');
    expect(state()).toBe('Loading');
    board.ended('mapsReviews', undefined);
    expect(state()).toBe('Loading');
    board.ended('mapsReviews', true);
    expect(state()).toBe('Healthy');
    expect(changes).toEqual(['mapsReviews: No data → Loading', 'mapsReviews: Loading → Healthy']);
  });

  it('knows nothing again when the only call was given up', () => {
    const { board, state } = set();
    board.began('mapsReviews');
    board.ended('mapsReviews', undefined);
    expect(state()).toBe('No data');
  });

  it.each([
    [95, 5, 'Healthy'],
    [94, 6, 'Available Limited'],
    [50, 50, 'Available Limited'],
    [49, 51, 'Mostly unavailable'],
    [0, 1, 'Mostly unavailable'],
  ])('calls %i good and %i bad calls by their word', (good, bad, word) => {
    const { calls, state } = set();
    calls(good, bad);
    expect(state()).toBe(word);
  });

  it('takes other thresholds', () => {
    const { calls, state } = set({ healthy: 0.5, limited: 0.1 });
    calls(1, 1);
    expect(state()).toBe('Healthy');
    calls(0, 5);
    expect(state()).toBe('Available Limited');
  });

  it('forgets what is older than its window', () => {
    const { calls, clock, state } = set({ windowMs: 60_000 });
    calls(0, 10);
    clock.advance(50_000);
    calls(10, 0);
    expect(state()).toBe('Available Limited');
    clock.advance(20_000);
    expect(state()).toBe('Healthy');
    clock.advance(60_000);
    expect(state()).toBe('No data');
    expect(clock.timers).toBe(0);
  });

  it('emits the present state at once, then each change, also as samples expire', () => {
    const { board, calls, clock } = set({ windowMs: 60_000 });
    const seen: HealthState[] = [];
    const watching = board.stream.subscribe((health) => seen.push(health['mapsReviews']!));
    calls(3, 0);
    expect(clock.timers).toBe(1);
    clock.advance(70_000);
    expect(seen).toEqual(['No data', 'Loading', 'Healthy', 'No data']);
    calls(1, 0);
    watching.unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it('keeps operations apart', () => {
    const { board, calls } = set();
    let seen: Health | undefined;
    board.stream.subscribe((health) => (seen = health));
    calls(1, 0);
    expect(seen).toEqual({ mapsReviews: 'Healthy', mapsSearch: 'No data' });
  });

  it('ends with the client', () => {
    const { board, clock, calls } = set();
    let ended = 0;
    board.stream.subscribe({ complete: () => ended++ });
    calls(1, 0);
    board.close();
    board.stream.subscribe({ complete: () => ended++ });
    expect(ended).toBe(2);
    expect(clock.timers).toBe(0);
  });
});
