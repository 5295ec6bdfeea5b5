import { afterEach, describe, expect, it, vi } from 'vitest';
import { Committer } from '../../../src/flow/run/Committer.ts';
import type { FlowStore } from '../../../src/flow/state/FlowStore.ts';

describe('Committer', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('notes the first hundred steps one by one, and then for a hundredth of the time', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const noted: number[] = [];
    const pending = { count: 0, rows: 0 };
    const note = (): void => {
      noted.push(pending.count);
      pending.count = 0;
      now += 0.2;
    };
    const store = { pending, noted: { count: 0, rows: 0 }, backlog: 0, state: { doubtful: [] }, note, commit: async () => ({}) };
    const nothing = (): void => undefined;
    const options = { everyMs: 60_000, spent: () => 0, committed: nothing, free: nothing, failed: nothing };
    const committer = new Committer(store as unknown as FlowStore, options);
    for (let step = 0; step < 10_100; step++, now += 10) {
      pending.count++;
      committer.look();
    }
    await committer.end();
    expect(noted.slice(0, 100).every((steps) => steps === 1)).toBe(true);
    expect((noted.length * 0.2) / now).toBeCloseTo(0.01, 3);
  });
});
