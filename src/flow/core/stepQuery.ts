import type { PageLike, WalkEvent } from '../../../operators/PageLike.ts';
import type { Operation } from '../../contract/index.ts';
import type { RecheckResult, RecheckPolicy } from '../../../operators/walk/RecheckPolicy.ts';
import { claimIn } from '../../../operators/walk/readPage.ts';
import { bothPlaces, type RowPlaces } from '../../../operators/split/RowPlaces.ts';
import type { PieceRows } from '../../../operators/split/RangePiece.ts';
import { walkLimit } from '../../../operators/split/RowCap.ts';
import { foundInPage, keptFault, type PageRows, rowsOfPage } from './rowsOfPage.ts';
import { stepWalk } from '../../../operators/walk/stepWalk.ts';
import type { WalkOptions } from '../../../operators/walk/WalkOptions.ts';
import type { WalkMove, WalkFault } from '../../../operators/walk/Walk.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { TilePage } from '../split/StageCovers.ts';
import { isTile, type SplitQuery } from '../split/StageSplit.ts';
import type { BegunQuery, FoundQuery } from './Query.ts';
import { PaginationError } from '../../errors/index.ts';

/** The result of one page of one query. */
export interface Step extends PageRows {
  /** Queries that the page itself leads to, independent of its rows. */
  readonly found: readonly FoundQuery[];
  /** Rows of the page, wanted or not. */
  readonly received: number;
  /** Where the page's rows lie, in or outside the area, and how many there are. Set for a tile of an area. */
  readonly tile?: Pick<TilePage, 'spots' | 'rows'> | undefined;
  /** Where the page's rows lie. Set for a piece of a range. */
  readonly places?: RowPlaces | undefined;
  /** Where the query's walk goes … */
  readonly move?: WalkMove | undefined;
  /** … or it has ended … */
  readonly end?: 'complete' | 'capped' | undefined;
  /** How many rows there are in all, where an ended walk knows; and how many different ones this walk has had. */
  readonly claimed?: number | undefined;
  readonly got: number;
  /** … or it can't continue. `delivered`: the rows of the page count nevertheless. */
  readonly failure?: { readonly error: Error; readonly delivered: boolean } | undefined;
  readonly notices: readonly WalkEvent[];
  /** The query was full, and narrower ones follow. */
  readonly wide?: true | undefined;
  /** What the page tells of rechecks, for the policy of its operation. */
  readonly rechecked?: RecheckResult | undefined;
}

/**
 * One step of a flow: turns a page of a query into rows, the queries found in them, and the query's next state.
 *
 * It only computes, so it works the same on one machine and on many. The caller requests the pages, avoids repeating
 * earlier work, and makes rows and state safe together.
 */
export function stepQuery(flow: Flow, query: BegunQuery, page: PageLike, rechecks?: Pick<RecheckPolicy, 'wants'>, hadRows?: boolean): Step {
  const stage = flow.byName.get(query.stage)!;
  const { operation, split } = stage;
  const options = walkOptionsOf(stage, query);
  const walked = stepWalk(operation.spec, query.walk, page, hadRows === true ? { ...options, hadRows } : options, rechecks);
  const { notices, got, rechecked } = walked;
  const delivered = walked.kind !== 'error' || walked.deliver;
  const received = walked.rows.length;
  const room = stage.limit - query.walk.items;
  const came = !delivered ? none : received > room ? walked.rows.slice(0, room) : walked.rows;
  const isRepeated = query.skip > 0; // its rows and queries count already
  const items = isRepeated ? none : came;
  const tile = split?.kind === 'area' ? split.searchedBy(query) : undefined;
  const pieces = split?.kind === 'area' ? undefined : split;
  const places = isRepeated ? undefined : pieces?.placesOf(query, items);
  const unkept = keptFault(stage, items);
  const { rows, ids, unusable, outside } = rowsOfPage(flow, stage, query, page, { items: unkept === undefined ? items : none, tile });
  const step: Step = {
    rows,
    found: delivered && !isRepeated ? foundInPage(flow, stage, query, page) : none,
    received,
    unusable,
    outside,
    // a tile whose walk starts over counts its rows anew
    tile: tile && { spots: tile.spotsOf(came), rows: came.length },
    places,
    move: undefined,
    end: undefined,
    claimed: undefined,
    got,
    ids,
    failure: undefined,
    notices,
    rechecked,
  };
  if (unkept !== undefined) return { ...step, failure: { error: unkept, delivered: false } };
  if (walked.kind === 'error') {
    const failure = { error: walkError(operation, walked.fault), delivered };
    return { ...withFound(step, queriesAfter(stage, query, undefined)), claimed: walked.claimed, failure };
  }
  const claim = walked.kind === 'next' ? (walked.move.claimed ?? query.walk.claimed) : claimIn(operation.spec, query.walk.query, page);
  const found = { rows: got, places: bothPlaces(query.places, places) ?? {}, claim };
  const isFull = pieces?.isFull(query, found) === true;
  const narrower = isFull ? splitQueries(query, pieces.narrower(query, { ...found, data: page.data })) : none;
  // The narrower queries return everything that this one would have. Only a recheck that was useful had led to a request.
  if (narrower.length > 0)
    return { ...withFound(step, narrower), end: 'complete', rechecked: rechecked?.is === 'useful' ? rechecked : undefined, wide: true };
  if (walked.kind === 'next') return { ...step, move: walked.move };
  const last = withFound(step, queriesAfter(stage, query, found));
  if (isFull || walked.reason === 'capped' || received > room) return { ...last, end: 'capped' };
  return { ...last, end: 'complete', claimed: walked.claimed };
}

function withFound(step: Step, more: readonly FoundQuery[]): Step {
  return more.length === 0 ? step : { ...step, found: [...step.found, ...more] };
}

/** The options of a query's walk: those of its stage, the number of rows claimed, and the cap of the search if it is known. */
export function walkOptionsOf(stage: FlowStage, { claimed, tile }: Pick<BegunQuery, 'claimed' | 'tile'>): WalkOptions {
  const { split, limit, walk } = stage;
  if (split?.kind === 'area')
    return { ...walk, claimed, maxItems: Math.min(limit, walkLimit(isTile(tile) ? tile.cap : undefined, split.full)) };
  return claimed === undefined ? walk : { ...walk, claimed };
}

const none: readonly never[] = [];

/** The error of a walk that can't continue. */
export function walkError({ name }: Operation, { message, ...details }: WalkFault): PaginationError {
  return new PaginationError(message, { operation: name, ...details });
}

/** The query that follows the end of a query. `found`: undefined if it failed. A repeated one was followed before. */
export function queriesAfter({ split }: FlowStage, query: BegunQuery, found: PieceRows | undefined): readonly FoundQuery[] {
  if (split === undefined || split.kind === 'area' || query.repeat !== undefined) return none;
  return splitQueries(query, split.after(query, found));
}

function splitQueries({ stage, kept }: BegunQuery, queries: readonly SplitQuery[]): FoundQuery[] {
  return queries.map((query) => ({ stage, kept, ...query }));
}
