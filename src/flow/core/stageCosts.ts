/** What the requests of a stage were for, and what they cost. */
export interface StageCost {
  /** Requests, retries included. */
  requests: number;
  /** Of them: those that brought no page. */
  failed: number;
  /** Those that repeat one that failed. */
  retries: number;
  /** Second looks at a page that seemed to lack rows. */
  again: number;
  /** Pages that a store had, without a request. */
  saved: number;
  /** In what the service's prices are in. 0 if it has none. */
  money: number;
  /** What the failures cost of it. */
  failedMoney: number;
}

/** By stage. What is 0 may be absent. */
export interface StageCosts {
  readonly [stage: string]: Readonly<Partial<StageCost>>;
}

export const noCost = (): StageCost => ({ requests: 0, failed: 0, retries: 0, again: 0, saved: 0, money: 0, failedMoney: 0 });

/** Adds to a cost. */
export function addCost(cost: StageCost, more: Readonly<Partial<StageCost>>): StageCost {
  for (const name in more) cost[name as keyof StageCost] = rounded(cost[name as keyof StageCost] + (more[name as keyof StageCost] ?? 0));
  return cost;
}

/** The costs of both, stage by stage. */
export function sumCosts(one: StageCosts, other: StageCosts): StageCosts {
  const stages = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(Array.from(stages, (stage) => [stage, addCost(addCost(noCost(), one[stage] ?? {}), other[stage] ?? {})]));
}

/** Sums of decimal prices without the noise of binary fractions. */
const rounded = (value: number): number => Math.round(value * 1e9) / 1e9;
