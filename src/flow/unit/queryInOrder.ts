import type { FlowStage } from '../definition/Flow.ts';
import type { Query } from './bindQueries.ts';

/** The orders in which a query can be walked, its own first. */
export function ordersOf({ orders, operation }: FlowStage, query: Query): readonly (string | undefined)[] {
  if (orders === undefined) return [undefined];
  const own = query[orders.param] ?? operation.params[orders.param]?.default;
  return [undefined, ...orders.values.filter((value) => value !== own)];
}

/** A query in one of its orders. */
export function queryInOrder(stage: FlowStage, query: Query, order: number): Query {
  const value = ordersOf(stage, query)[order];
  return value === undefined || stage.orders === undefined ? query : { ...query, [stage.orders.param]: value };
}
