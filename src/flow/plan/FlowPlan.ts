/** What a flow would ask for. `atMost` may be Infinity. */
export interface FlowPlan {
  readonly name: string;
  /** Parents before their children. */
  readonly stages: readonly PlanStage[];
  readonly requests: Range;
  /** In the currency of the price that was given. */
  readonly price?: Range | undefined;
  /** With a store: requests that are paid for already, and how many are known that are not. */
  readonly stored?: { readonly paid: number; readonly missing: number } | undefined;
  /** How many roots were run to look closer; undefined: not one request was made. */
  readonly sampled?: { readonly roots: number; readonly of: number; readonly requests: number } | undefined;
}

export interface PlanStage {
  readonly name: string;
  /** The operation. */
  readonly call: string;
  /** The stages, or the one seed file, that it runs over. */
  readonly each: readonly string[];
  readonly depth: number;
  readonly to: readonly string[];
  readonly queries: Range;
  readonly requests: Range;
  readonly rows: Range;
  readonly price?: Range | undefined;
  /** Why the figures are what they are, in words. */
  readonly why: readonly string[];
}

export interface Range {
  readonly atLeast: number;
  readonly atMost: number;
  /** With a sample: what to expect, and within what most outcomes lie. */
  readonly expected?: { readonly mean: number; readonly low: number; readonly high: number } | undefined;
}
