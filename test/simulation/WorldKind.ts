import type { Broken } from './Broken.ts';

export interface WorldOutcome {
  readonly broken: Broken | undefined;
  readonly story: readonly string[];
  readonly steps: number;
}

/** What can be simulated: a world of this kind is plain data with a seed. */
export interface WorldKind<World extends { readonly seed: number }> {
  /** The world of a seed. */
  draw(seed: number): World;
  /** Runs a world to its end, or to the first rule that it breaks. */
  run(world: World, isTold?: boolean): Promise<WorldOutcome>;
  /** Worlds that are smaller by one thing, the largest things first. */
  smaller(world: World): Iterable<World>;
  /** Worlds that broke a rule once: what was wrong, and the world. A failure prints such a line. */
  readonly old: readonly (readonly [fault: string, world: string])[];
  /** The file that has them. */
  readonly oldFile: string;
}
