import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from './QueryParams.ts';

/**
 * The same text for the same stage and query, in any parameter order. Values that a ready-made fan-out fills in besides
 * its ids don't count.
 */
export function queryKey({ name: stage, fanOut }: Pick<FlowStage, 'name' | 'fanOut'>, params: QueryParams): string {
  const { by } = fanOut ?? {};
  const counts = (param: string): boolean => by === undefined || by.includes(param) || !Object.hasOwn(fanOut!.with, param);
  return JSON.stringify([
    stage,
    ...Object.keys(params)
      .filter(counts)
      .sort()
      .flatMap((name) => [name, params[name]]),
  ]);
}
