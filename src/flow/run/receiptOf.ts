import { addCost, noCost, type StageCost, type StageCosts } from '../core/stageCosts.ts';

/** What a run has paid, with the runs that it resumed. */
export interface RunReceipt {
  readonly stages: readonly StageReceipt[];
  readonly total: Readonly<StageCost>;
  /** How many fewer requests an update took than the largest run before it. Absent for others. */
  readonly fewer?: number | undefined;
}

export interface StageReceipt extends Readonly<StageCost> {
  readonly stage: string;
  /** Rows that are kept. */
  readonly rows: number;
}

/**
 * `price`: of a request, where the service has no prices. undefined: nothing was requested and nothing came from a store.
 */
export function receiptOf(
  stages: readonly { readonly name: string; readonly rows: number }[],
  costs: StageCosts,
  { price, fewer }: { readonly price: number | undefined; readonly fewer: number | undefined },
): RunReceipt | undefined {
  const paid = stages.flatMap(({ name, rows }) => {
    const cost = addCost(noCost(), costs[name] ?? {});
    if (price !== undefined) addCost(cost, { money: cost.requests * price, failedMoney: cost.failed * price });
    return cost.requests + cost.saved === 0 ? [] : [{ stage: name, rows, ...cost }];
  });
  if (paid.length === 0) return undefined;
  const total = paid.reduce((sum, { stage: _stage, rows: _rows, ...cost }) => addCost(sum, cost), noCost());
  return { stages: paid, total, ...(fewer === undefined ? {} : { fewer }) };
}
