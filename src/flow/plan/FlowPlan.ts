import { formatCount, shownEstimate } from '../report/format.ts';

/** The requests that a flow would send. `atMost` may be Infinity. */
export interface FlowPlan {
  readonly name: string;
  /** Parents before their children. */
  readonly stages: readonly PlanStage[];
  readonly requests: Range;
  /** In the currency of the given price. */
  readonly price?: Range | undefined;
  /** With a store: requests that are already paid for, and known requests that aren't. */
  readonly stored?: { readonly paid: number; readonly missing: number } | undefined;
  /** The number of sampled roots. `cut`: its requests were used up before the first of them was whole. undefined: no request was sent. */
  readonly sampled?: { readonly roots: number; readonly of: number; readonly requests: number; readonly cut?: boolean } | undefined;
  /** What a run will cost at most, or why nobody can say. Absent without a sample. */
  readonly quote?: Quote | { readonly because: string } | undefined;
}

/** What a run of a flow will cost at most. It is for exactly this flow and service. */
export interface Quote {
  readonly id: string;
  readonly name: string;
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  /** Requests, retries and second looks included. A run within the quote never sends more than `high`. */
  readonly requests: QuoteRange;
  /** The same in what the service's prices are in. Absent without prices. */
  readonly money?: QuoteRange | undefined;
  /** Why the range is as wide as it is, one sentence each. */
  readonly why: readonly string[];
  readonly digest: string;
  /** What was to be run, to say what has changed since. */
  readonly definition: { readonly [part: string]: unknown };
  readonly service: { readonly name: string; readonly digest: string };
}

export interface QuoteRange {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface PlanStage {
  readonly name: string;
  /** The operation. */
  readonly call: string;
  /** Its input: stages, or one seed file. */
  readonly each: readonly string[];
  readonly depth: number;
  readonly to: readonly string[];
  readonly queries: Range;
  readonly requests: Range;
  readonly rows: Range;
  readonly price?: Range | undefined;
  /** The reasons for the figures, in words. */
  readonly why: readonly string[];
}

export interface Range {
  readonly atLeast: number;
  readonly atMost: number;
  /** With a sample: the estimate and its 95 % confidence interval. */
  readonly expected?: { readonly mean: number; readonly low: number; readonly high: number } | undefined;
}

/** `12`, `1 to 12`, `at least 3`; with a sample `about 8 (5 to 12)`; `unknown`, if any number may come. */
export function shownRange({ atLeast, atMost, expected }: Range): string {
  if (expected !== undefined && expected.low !== expected.high) {
    return shownEstimate(expected);
  }
  if (atLeast === atMost) return formatCount(atLeast);
  if (atLeast === 0 && atMost === Infinity) return 'unknown';
  return atMost === Infinity ? `at least ${formatCount(atLeast)}` : `${formatCount(atLeast)} to ${formatCount(atMost)}`;
}
