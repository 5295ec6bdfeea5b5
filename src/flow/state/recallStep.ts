import type { FlowStage } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import { failedTile, type CoverStep } from '../split/StageCovers.ts';
import type { FlowState } from './FlowState.ts';
import type { JournalStep } from './JournalRecord.ts';
import { digestsOf, idsOf, spotsIn } from './journalTexts.ts';

/** A page of a tile, as the journal tells it. */
export interface RecalledTile {
  readonly stage: FlowStage;
  readonly query: StageQuery;
  /** The rows of the tile so far. */
  readonly rows: number;
  readonly covered: CoverStep;
}

/** For steps written by another process, before they are applied: counts their content as found and seen. Returns the tile that it is about. */
export function recallStep(state: FlowState, step: JournalStep): RecalledTile | undefined {
  const { seen, covers } = state;
  if (step.kind === 'again' || step.kind === 'job') return undefined;
  for (const [stage, params, , , tile] of step.found ?? [])
    if (tile?.number === undefined) seen.isNewQuery(state.queries.stageAt(stage), params, tile);
  if (step.kind === 'seeds' || step.kind === 'page')
    for (const [stage, params] of step.unchanged ?? []) seen.isNewQuery(state.queries.stageAt(stage), params);
  if (step.kind === 'seeds') {
    const { stage, areas = [] } = step;
    for (const [, params, , , tile] of areas) seen.isNewQuery(state.queries.stageAt(stage), params, tile);
    state.startAreas(state.queries.stageAt(stage), areas);
    return undefined;
  }
  const query = state.queries.waitingFor(step);
  const stage = state.queries.stageOf(query);
  if (step.kind === 'late') covers.pass(stage, query);
  else if (step.kind === 'failure') {
    if (stage.split?.kind === 'area') covers.take(stage, query, failedTile);
  } else {
    for (const key of step.keys === undefined ? [] : digestsOf(step.keys)) seen.isNewKey(stage.name, key);
    if (step.tile === undefined || query.tile === undefined) return undefined;
    const covered = covers.take(stage, query, { ...step.tile, spots: spotsIn(step.tile.spots) });
    return { stage, query, rows: query.walk.items + step.received, covered };
  }
  return undefined;
}

/** Remembers the rows of a step whose query is walked again. */
export function recallIds({ seen }: FlowState, step: JournalStep, walkedAgain: ReadonlySet<number>): void {
  if (step.kind !== 'page' || step.ids === undefined || !walkedAgain.has(step.query)) return;
  for (const id of idsOf(step.ids)) seen.isNewId(step.query, id);
}
