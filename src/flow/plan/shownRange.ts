import { formatCount } from '../report/formatCount.ts';
import type { Range } from './FlowPlan.ts';

/** `12`, `1 to 12`, `at least 3`; with a sample `about 8 (5 to 12)`. */
export function shownRange({ atLeast, atMost, expected }: Range): string {
  if (expected !== undefined && expected.low !== expected.high) {
    return `about ${formatCount(Math.round(expected.mean))} (${formatCount(Math.floor(expected.low))} to ${formatCount(Math.ceil(expected.high))})`;
  }
  if (atLeast === atMost) return formatCount(atLeast);
  return atMost === Infinity ? `at least ${formatCount(atLeast)}` : `${formatCount(atLeast)} to ${formatCount(atMost)}`;
}
