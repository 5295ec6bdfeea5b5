import { formatCount } from '../report/format.ts';
import type { Range } from './FlowPlan.ts';

/** `1 row`, `12,345 rows`. */
export function count(value: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

/** `12`, `1 to 12`, `at least 3`; with a sample `about 8 (5 to 12)`. */
export function shownRange({ atLeast, atMost, expected }: Range): string {
  if (expected !== undefined && expected.low !== expected.high) {
    return `about ${formatCount(Math.round(expected.mean))} (${formatCount(Math.floor(expected.low))} to ${formatCount(Math.ceil(expected.high))})`;
  }
  if (atLeast === atMost) return formatCount(atLeast);
  return atMost === Infinity ? `at least ${formatCount(atLeast)}` : `${formatCount(atLeast)} to ${formatCount(atMost)}`;
}
