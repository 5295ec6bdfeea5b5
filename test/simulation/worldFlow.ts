import type { FlowDefinition, StageDefinition } from '../../src/flow/index.ts';
import type { Service } from '../../src/contract/index.ts';
import type { World, WorldStage } from './World.ts';
import { operationName, splitBy } from './worldService.ts';
import { highest, within } from './WorldTruth.ts';

export const stageName = (number: number): string => `s${number}`;

/** The keys of a stage's own queries. */
export const ownKeys = (number: number, { queries = 1 }: WorldStage): readonly string[] =>
  Array.from({ length: queries }, (_, at) => `k${number}${at}`);

/** The flow of a world. `edited`: in a way that leaves its requests and files as they are. */
export function worldFlow({ stages, operations }: World, service: Service, edited: boolean): FlowDefinition {
  return {
    name: 'world',
    service,
    failAbove: edited ? 0.99 : 1,
    stages: Object.fromEntries(stages.map((stage, number) => [stageName(number), stageOf(stage, number, operations[stage.operation]!)])),
  };
}

/** How a stage gets past the number of rows that a query returns at most. */
const waysPast = (full: number): { readonly [split: string]: Pick<StageDefinition, 'split' | 'cover'> } => ({
  values: { split: { by: splitBy.by, values: splitBy.values, full } },
  range: { split: { by: 'range', params: ['low', 'high'], from: 0, to: highest, full } },
  dates: { split: { from: '2025-01-01', full } },
  area: { cover: { within: [...within], full } },
});

function stageOf(stage: WorldStage, number: number, { cap, claims }: World['operations'][number]): StageDefinition {
  const name = stageName(number);
  const { each, from, pages, limit, split, until, since, gone, csv, by, expect } = stage;
  return {
    call: operationName(stage.operation),
    with: { key: each === undefined ? ownKeys(number, stage) : `$.${from ?? 'id'}` },
    ...(each === undefined ? {} : { each: stageName(each) }),
    ...(split === undefined ? { pages: pages ?? 'all' } : waysPast(cap ?? 5)[split === true ? 'values' : split]),
    ...(limit === undefined ? {} : { limit }),
    ...(until === undefined ? {} : { until: { rank: until } }),
    ...(since ? { since: { lookback: '1h', ...(gone === 'drop' ? { fullEvery: '2d' } : {}) } } : {}),
    ...(gone === undefined ? {} : { gone }),
    ...(by ? { by: 'id' } : {}),
    ...(expect ? { expect: { rows: { '>=': 0 } } } : {}),
    ...(claims === undefined ? {} : { tolerance: { share: 0, rows: 0 } }),
    to: csv ? [`${name}.jsonl`, `${name}.csv`] : `${name}.jsonl`,
  };
}
