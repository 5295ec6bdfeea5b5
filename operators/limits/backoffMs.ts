/** Full jitter: a random wait from 0 to a maximum that doubles each time, up to a cap. `failures` counts from 1. */
export function backoffMs(failures: number, random: number, baseMs: number, capMs: number): number {
  return random * Math.min(capMs, baseMs * 2 ** (failures - 1));
}
