import { describe, expect, it, vi } from 'vitest';
import { Semaphore } from '../../src/bullmq/PageWorker.ts';

describe('Semaphore', () => {
  it('lets so many run at the same time, the others in order, also after one has failed', async () => {
    const turns = new Semaphore(2);
    const running: (() => void)[] = [];
    const begun: number[] = [];
    const task = (nth: number): Promise<void> =>
      turns.take(() => {
        begun.push(nth);
        return new Promise((resolve, reject) => running.push(nth === 0 ? () => reject(new Error('no')) : resolve));
      });
    const first = task(0);
    const others = [1, 2, 3].map(task);
    expect([begun, turns.waiting]).toEqual([[0, 1], 2]);
    running[0]!();
    await expect(first).rejects.toThrow('no');
    await vi.waitFor(() => expect(begun).toEqual([0, 1, 2]));
    running[1]!();
    await vi.waitFor(() => expect(begun).toEqual([0, 1, 2, 3]));
    running[2]!();
    running[3]!();
    await Promise.all(others);
    expect(turns.waiting).toBe(0);
  });
});
