import type { FlowStage } from '../definition/Flow.ts';
import type { FoundQuery, StageQuery } from '../query/StageQuery.ts';

/** The queries that a full one is split into. Empty if it isn't full, or can't be split. */
export function narrowerQueries({ name, split }: FlowStage, { params, kept }: StageQuery): FoundQuery[] {
  if (split === undefined || split.kind === 'area') return [];
  return split.narrower(params).map((narrower) => ({ stage: name, params: narrower, kept }));
}
