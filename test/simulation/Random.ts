import { seeded } from '../files/seeded.ts';

/** Random choices, all from one seed. */
export class Random {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!;
  }

  /** True in so many of all cases. */
  happens(share: number): boolean {
    return this.next() < share;
  }
}

/** A number from 0 to 2³²-1 that is always the same for these values. */
export function hashOf(...values: readonly (string | number)[]): number {
  let hash = 2166136261;
  for (const value of values) {
    for (const char of `${value}|`) hash = Math.imul(hash ^ char.charCodeAt(0), 16777619);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
  return (hash ^ (hash >>> 16)) >>> 0;
}
