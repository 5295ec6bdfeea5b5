import { formatCount } from '../../../operators/kit/countOf.ts';

/** The requests that a flow would send. `atMost` may be Infinity. */
export interface FlowPlan {
  readonly name: string;
  /** Parents before their children. */
  readonly stages: readonly PlanStage[];
  readonly requests: Range;
  /** The requests of each service, and what they cost by its own prices. Absent if there is one, and it has none. */
  readonly services?: readonly ServicePlan[] | undefined;
  /** In the currency of the given price. */
  readonly price?: Range | undefined;
  /** What the first queries have taken in the folder. Absent if none were run on their own. */
  readonly first?: FirstQueries | undefined;
  readonly quote: Quote;
}

/** What a run of only the first queries has taken, and about what all would take. */
export interface FirstQueries {
  readonly queries: number;
  readonly requests: number;
  /** How many first queries there are. Absent for standard input, as is what all would take. */
  readonly of?: number | undefined;
  readonly all?: number | undefined;
}

/** What a run of a flow will cost at most. It is for exactly this flow and service. */
export interface Quote {
  readonly id: string;
  readonly name: string;
  /** When it was made, in milliseconds since 1970. */
  readonly at: number;
  /**
   * The limit of requests, for all runs of the folder together. Retries, polls and rechecks count. Absent if nothing limits the flow.
   */
  readonly most?: number | undefined;
  /** The same in money. Absent without prices. */
  readonly money?: number | undefined;
  readonly digest: string;
  /** The flow of the quote, to say what has changed since. */
  readonly definition: { readonly [part: string]: unknown };
  readonly service: { readonly name: string; readonly digest: string };
}

/** The requests that one service may get. */
export interface ServicePlan {
  readonly name: string;
  readonly requests: Range;
  readonly price: Range;
  /** What its prices count: `credits`. */
  readonly unit?: string | undefined;
}

export interface PlanStage {
  readonly name: string;
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
}

/** `12`, `1 to 12`, `at least 3`; `unknown`, if any number may come. */
export function shownRange({ atLeast, atMost }: Range): string {
  if (atLeast === atMost) return formatCount(atLeast);
  if (atLeast === 0 && atMost === Infinity) return 'unknown';
  return atMost === Infinity ? `at least ${formatCount(atLeast)}` : `${formatCount(atLeast)} to ${formatCount(atMost)}`;
}
