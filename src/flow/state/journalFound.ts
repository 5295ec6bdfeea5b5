import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FoundQuery } from '../query/StageQuery.ts';
import type { JournalFound } from './JournalRecord.ts';

/** A query in the journal's form. */
export function journalFound(flow: Flow, { stage, params, kept, claimed, tile, unless }: FoundQuery): JournalFound {
  const index = flow.byName.get(stage)!.index;
  if (unless !== undefined) return [index, params, kept ?? null, claimed ?? null, tile ?? null, unless];
  if (tile !== undefined) return [index, params, kept ?? null, claimed ?? null, tile];
  if (claimed !== undefined) return [index, params, kept ?? null, claimed];
  return kept === undefined ? [index, params] : [index, params, kept];
}

/** A query of a stage, from the journal's form. */
export function foundQuery({ name }: FlowStage, [, params, kept, claimed, tile, unless]: JournalFound): FoundQuery {
  return { stage: name, params, kept: kept ?? undefined, claimed: claimed ?? undefined, tile: tile ?? undefined, unless };
}
