import { canonicalJson } from '../../../operators/kit/canonicalJson.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';

/**
 * A text that is the same for the same stage and query, whatever the order of parameters. Values that a ready-made fan-out
 * adds to its ids don't count.
 */
export function queryKey({ name: stage, fanOut }: Pick<FlowStage, 'name' | 'fanOut'>, params: QueryParams): string {
  const { by } = fanOut ?? {};
  const counts = (param: string): boolean => by === undefined || by.includes(param) || !Object.hasOwn(fanOut!.with, param);
  return canonicalJson([
    stage,
    ...Object.keys(params)
      .filter(counts)
      .sort()
      .flatMap((name) => [name, params[name]]),
  ]);
}
