import type { StageProgress } from '../run/FlowProgress.ts';
import { formatSum } from './format.ts';

/**
 * What the pages of a run cost, by stage and for each row. `price`: of a request, where the service's prices don't count. undefined: no
 * price is known, or nothing came.
 */
export function costLine(stages: readonly StageProgress[], price: number | undefined): string | undefined {
  const costs = stages.flatMap(({ name, pages, rows, price: own = 0 }) => {
    const money = pages * (price ?? own);
    const each = rows === 0 ? '' : `, ${formatSum(Number((money / rows).toPrecision(3)), 0, 9)} a row`;
    return money === 0 ? [] : [{ money, text: `${name} ${formatSum(money)}${each}` }];
  });
  if (costs.length === 0) return undefined;
  const total = costs.reduce((sum, { money }) => sum + money, 0);
  return `Its pages cost ${formatSum(total)}: ${costs.map(({ text }) => text).join('; ')}. That is without retries, and as if none came from a store.`;
}
