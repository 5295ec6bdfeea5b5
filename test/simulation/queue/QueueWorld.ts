import type { World } from '../World.ts';

/** A flow that a leader and some workers run together, and what happens to them. */
export interface QueueWorld extends Pick<World, 'seed' | 'operations' | 'stages' | 'limit'> {
  /** The requests that each worker sends at once. */
  readonly workers: readonly number[];
  readonly commitMs: number;
  readonly troubles: readonly Trouble[];
}

export const troubles = [
  /** The first worker dies, and another one comes a moment later. */
  'killWorker',
  /** The leader dies, and the same command is run again. */
  'killLeader',
  /** The first worker is blocked for so long that its jobs are given to others, and then goes on. */
  'stall',
  /** Redis can't be reached for a while. */
  'away',
  /** Another leader wants the same queue. */
  'rival',
  /** The first worker is closed, and another one comes. */
  'closeWorker',
] as const;

export interface Trouble {
  readonly kind: (typeof troubles)[number];
  /** At the nth request of all workers together. */
  readonly at: number;
}
