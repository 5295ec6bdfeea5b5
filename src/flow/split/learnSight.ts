import { AreaSearch } from '../../../operators/split/AreaSearch.ts';
import type { Spotted } from '../../../operators/split/Reach.ts';
import type { PageLike } from '../../../operators/PageFactory.ts';
import { moveWalk } from '../../../operators/walk/moveWalk.ts';
import { startWalk } from '../../../operators/walk/startWalk.ts';
import { stepWalk } from '../../../operators/walk/stepWalk.ts';
import type { WalkState } from '../../../operators/walk/WalkState.ts';
import type { WalkStep } from '../../../operators/walk/WalkStep.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { LookStep } from '../state/JournalRecord.ts';
import type { FoundQuery } from '../query/StageQuery.ts';
import type { AreaSplit, TileState } from './StageSplit.ts';

/** What is known about a stage's searches. */
export type Learnt = Pick<TileState, 'across' | 'down' | 'cap'>;

/** A page of the searches that find out the view, as in the journal. */
export type Look = Pick<LookStep, 'at' | 'rows' | 'received' | 'next'>;

export interface LearnOptions {
  /** Pages that an earlier run requested, in their order. They aren't requested again. */
  readonly before: readonly Look[];
  readonly request: (query: object) => Promise<PageLike>;
  /** Called with each page requested. */
  readonly looked: (look: Look) => void;
}

/** Finds out the view of a stage's searches, page by page, with a few dozen requests. */
export async function learnSight(
  { factory, limit, operation }: FlowStage,
  { areaOf, zoom, full, pageSize, spec }: AreaSplit,
  root: FoundQuery,
  { before, request, looked }: LearnOptions,
): Promise<Learnt> {
  const search = new AreaSearch<object>(areaOf(root.tile?.area), root.params, operation.spec.id, spec, { zoom, full, pageSize }, false);
  const past = [...before];
  while (search.sight === undefined) {
    const query = search.next();
    if (query === undefined) break;
    const at = String((query as { readonly [param: string]: unknown })[spec.param]);
    const options = { maxItems: Math.min(search.cap, limit) };
    const spotted: Spotted[] = [];
    let count = 0;
    let walk: WalkState | undefined = startWalk(factory, query, options);
    while (walk !== undefined) {
      if (past[0]?.at !== at) past.length = 0; // the earlier run requested something else
      let look = past.shift();
      if (look === undefined) {
        const step: WalkStep = stepWalk(factory, walk, await request(walk.query), options);
        if (step.kind === 'error') throw step.error;
        const rows: Look['rows'] = search.spot(step.rows).map(({ id, x, y }) => [typeof id === 'object' ? null : id, x, y]);
        look = { at, rows, received: step.rows.length, ...(step.kind === 'next' ? { next: step.move } : {}) };
        looked(look);
      }
      // a row without an id equals no other
      spotted.push(...look.rows.map(([id, x, y]) => ({ id: id ?? {}, x, y })));
      count += look.received;
      walk = look.next === undefined ? undefined : moveWalk(factory, walk, look.next, options);
    }
    search.done(query, spotted, count);
  }
  const { sight, cap } = search;
  return { across: Math.round(sight!.across), down: Math.round(sight!.down), ...(cap === Infinity ? {} : { cap }) };
}
