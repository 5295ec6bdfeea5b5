/** Full jitter: anything from nothing to twice as much as the time before, up to a cap. `failures` counts from 1. */
export function backoffMs(failures: number, random: number, baseMs: number, capMs: number): number {
  return random * Math.min(capMs, baseMs * 2 ** (failures - 1));
}
