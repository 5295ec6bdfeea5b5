/** Where the approximation leaves nothing of a variance, this share of it is left. */
const leastLeft = 0.02;

/**
 * What is known of a number around zero, with a normal distribution of this variance, once it is known to lie above a limit: its mean, and
 * the variance that is left. Close to the exact ones.
 */
export function above(limit: number, variance: number): { readonly more: number; readonly left: number } {
  const at = limit / Math.sqrt(variance);
  const mean = at < 0 ? 0.4 * Math.exp(-(at ** 2) / 2) * (1 + Math.exp(1.7 * at)) : (at + Math.sqrt(at ** 2 + 2.55)) / 2;
  return { more: Math.sqrt(variance) * mean, left: variance * Math.max(leastLeft, 1 - mean * (mean - at)) };
}
