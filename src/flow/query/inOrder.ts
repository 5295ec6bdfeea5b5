import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';

/** The orders in which the pages of a query can be read, its own first. */
export function ordersOf({ orders, operation }: FlowStage, params: QueryParams): readonly (string | undefined)[] {
  if (orders === undefined) return [undefined];
  const own = ownValue(params, orders.param) ?? operation.params[orders.param]?.default;
  return [undefined, ...orders.values.filter((value) => value !== own)];
}

/** The parameters of a query in one of its orders. */
export function inOrder(stage: FlowStage, params: QueryParams, order: number): QueryParams {
  const value = ordersOf(stage, params)[order];
  return value === undefined || stage.orders === undefined ? params : { ...params, [stage.orders.param]: value };
}
