import { minSight, type Sight } from './Reach.ts';

/** The view is assumed so much smaller at first. From the fourth time on, it shrinks faster each time. */
const share = 0.95;
const slowTimes = 3;

/** The view to assume if searches don't see as far as was assumed, for the first time, the second … Undefined: it is as small as can be. */
export function shrunk<S extends Sight>(sight: S, time: number): S | undefined {
  if (sight.across <= minSight.across && sight.down <= minSight.down) return undefined;
  const factor = share ** (2 ** Math.max(0, time - slowTimes));
  return { ...sight, across: Math.max(minSight.across, sight.across * factor), down: Math.max(minSight.down, sight.down * factor) };
}
