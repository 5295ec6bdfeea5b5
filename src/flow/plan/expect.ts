/** An estimate and its 95 % confidence interval. */
export interface Expected {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Student's t for 95 %, by degrees of freedom from 1 on. */
const student = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.1, 2.09, 2.09];

/** Estimates the sum over `of` roots from some of them, within the possible range. */
export function expect(values: readonly number[], of: number, atLeast: number, atMost: number): Expected {
  const within = (value: number): number => Math.min(Math.max(value, atLeast), atMost);
  const n = values.length;
  if (n === 0) return { mean: within(0), low: atLeast, high: atMost };
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n === of) return { mean: mean * n, low: mean * n, high: mean * n };
  if (n === 1) return { mean: within(mean * of), low: within(Math.max(mean, atLeast)), high: atMost };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const t = student[n - 2] ?? 2;
  // A sample that is a large part of the whole leaves less to chance.
  const half = t * Math.sqrt((variance / n) * ((of - n) / (of - 1))) * of;
  return { mean: within(mean * of), low: within(mean * of - half), high: within(mean * of + half) };
}
