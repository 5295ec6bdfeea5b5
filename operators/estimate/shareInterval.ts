/** The standard normal quantile of a two-sided 95 % interval. */
const z = 1.959964;

/** The 95 % confidence interval of a share of which `n` of `of` were seen, by Wilson's score. */
export function shareInterval(n: number, of: number): { readonly low: number; readonly high: number } {
  const share = n / of;
  const weight = 1 + z ** 2 / of;
  const middle = (share + z ** 2 / (2 * of)) / weight;
  const half = (z / weight) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
