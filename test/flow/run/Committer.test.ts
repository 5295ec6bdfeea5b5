import { afterEach, describe, expect, it, vi } from 'vitest';
import { Committer } from '../../../src/flow/run/Committer.ts';
import type { RunStorage } from '../../../src/flow/state/RunStorage.ts';

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
    const store = { pending, noted: { count: 0, rows: 0 }, files: { backlog: 0 }, state: { doubtful: [] }, note, commit: async () => ({}) };
    const nothing = (): void => undefined;
    const options = { everyMs: 60_000, spent: () => ({ requests: 0 }), committed: nothing };
    const committer = new Committer(store as unknown as RunStorage, options, { free: nothing, fail: nothing });
    for (let step = 0; step < 10_100; step++, now += 10) {
      pending.count++;
      committer.noteOrCommit();
    }
    await committer.end();
    expect(noted.slice(0, 100).every((steps) => steps === 1)).toBe(true);
    expect(Math.max(...noted)).toBe(2); // nor do later ones wait for what the first took
    expect((noted.length * 0.2) / now).toBeCloseTo(0.01, 3);
  });

  it('holds requests while one of the first steps waits for a commit', async () => {
    let over: (() => void) | undefined;
    const pending = { count: 1, rows: 0 };
    const noted = { count: 0, rows: 0 };
    const note = (): void => void ([pending.count, noted.count] = [0, 1]);
    const commit = (): Promise<object> => {
      pending.count = 0;
      return over === undefined ? new Promise((resolve) => (over = () => resolve({}))) : Promise.resolve({});
    };
    const store = { pending, noted, files: { backlog: 0 }, state: { doubtful: [] }, note, commit };
    const full: boolean[] = [];
    const nothing = (): void => undefined;
    const free = (): void => void full.push(committer.full);
    const options = { everyMs: 0, spent: () => ({ requests: 0 }), committed: nothing };
    const committer = new Committer(store as unknown as RunStorage, options, { free, fail: nothing });
    committer.noteOrCommit();
    await vi.waitUntil(() => committer.busy);
    full.push(committer.full);
    pending.count = 1; // a page comes meanwhile
    committer.noteOrCommit();
    full.push(committer.full);
    over!();
    await vi.waitUntil(() => full.length > 2);
    expect([full.slice(0, 3), pending.count]).toEqual([[false, true, false], 0]);
    await committer.end();
  });
});
