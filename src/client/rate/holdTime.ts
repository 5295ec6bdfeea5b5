const requestsPerRefusal = 200; // so that trying higher rates costs well below 1 %
const silencesPerSilence = 60; // so that pauses cost below 2 %
const maxHolds = 16;
const shortestGrowMs = 1000;
const maxGrowMs = 10_000;

interface HoldCosts {
  /** What the last try cost. */
  readonly refusals: number;
  /** The part of its pause that the service doesn't make up for. Only where the service asks for pauses. */
  readonly lostMs: number;
}

/** How long to keep a rate before trying more: the longer, the more the last try cost. `holdMs`: the shortest time. */
export function holdTime(rate: number, { refusals, lostMs }: HoldCosts, holdMs: number): number {
  // The first refusals of a burst were on their way already. Many show that the try went far.
  const requests = requestsPerRefusal * Math.max(refusals, 2 * refusals - 4);
  return Math.max(holdMs, silencesPerSilence * lostMs, Math.min((1000 * requests) / rate, maxHolds * holdMs));
}

/** The same after the first refusals. They may have been a burst of any size, so nothing of it is known but its length. */
export function firstHoldTime(spentMs: number, holdMs: number): number {
  return Math.min(spentMs, maxHolds * holdMs);
}

/** How long it takes from there to about twice the rate: as slow as the service responds to a rate that is too high. */
export function growTime(spentMs: number): number {
  return Math.min(maxGrowMs, Math.max(shortestGrowMs, 2 * spentMs));
}
