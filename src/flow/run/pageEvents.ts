import type { WalkEvent } from '../../../operators/PageLike.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { BegunQuery } from '../core/Query.ts';
import type { StageCounts } from '../core/stageCounters.ts';
import { leftAdvice } from '../../../operators/split/AreaCover.ts';
import { type LeftTile, tileOf } from '../split/StageCovers.ts';
import { failureOf } from '../state/failureOf.ts';
import type { FlowProgress, TileReport } from './FlowProgress.ts';
import type { PageDecision } from '../core/decidePage.ts';
import type { TileSearched } from '../core/events.ts';
import { mapX, mapY } from '../../../operators/split/Area.ts';
import { positionOf } from '../../../operators/split/AreaSpec.ts';

/** Of tiles that hold more than was found, this many of each stage are reported one by one. The summary counts all. */
const toldTiles = 3;
const nothing: readonly FlowProgress[] = [];

/**
 * The events of a page for the user: its tile, thin pages, skipped rows, and that its query ended short. Of each stage, only the first thin
 * page, the first skipped rows and the first few full tiles are reported. `counts`: those so far.
 */
export function pageEvents(
  stage: FlowStage,
  query: BegunQuery,
  counts: StageCounts,
  { events, rows, notices, unusable, got, short }: PageDecision,
  left: readonly LeftTile[],
): readonly FlowProgress[] {
  const searched = events.find((event) => event.type === 'TileSearched');
  if (searched === undefined && short === undefined && notices.length + unusable === 0) return nothing;
  const at = Date.now();
  const thin = notices.filter(({ type }) => type === 'thinPage');
  const told = counts.thinPages === thin.length ? thin[0] : undefined;
  const tiles = searched === undefined ? [] : tileReports(stage, query, searched, left, got, rows);
  return [
    ...tiles.map((tile) => ({ type: 'tile', tile }) as const),
    ...leftNotices(stage, left, toldTiles - counts.capped + left.length, at),
    ...notices.flatMap((notice) => noticeOf(stage, notice, notice === told, at)),
    ...(unusable > 0 && counts.skipped === unusable ? [skippedNotice(stage, query, at)] : []),
    ...(short === undefined ? [] : [{ type: 'short', at, ...namesOf(stage), query: query.params, ...short } as const]),
  ];
}

export function failureEvent(stage: FlowStage, query: BegunQuery, error: unknown): FlowProgress {
  const { name, message } = failureOf(error);
  return { type: 'failure', at: Date.now(), ...namesOf(stage), query: query.walk.query, error: { name, message } };
}

function skippedNotice({ name }: FlowStage, query: BegunQuery, at: number): FlowProgress {
  const where = JSON.stringify(query.walk.query);
  const message = `${name}: rows that aren't objects are skipped, because files can't hold them: ${where}; the summary says how many`;
  return { type: 'notice', at, stage: name, message };
}

function leftNotices({ name, split }: FlowStage, left: readonly LeftTile[], most: number, at: number): readonly FlowProgress[] {
  const param = split?.kind === 'area' ? split.spec.param : '';
  return left.slice(0, Math.max(0, most)).map(({ at: view, because }) => {
    const message = `${name}: rows are missing at ${param} ${view}: ${leftAdvice[because]}; the summary counts such tiles as capped`;
    return { type: 'notice', at, stage: name, message };
  });
}

function noticeOf({ name }: FlowStage, notice: WalkEvent, isTold: boolean, at: number): readonly FlowProgress[] {
  if (notice.type !== 'thinPage' || !isTold) return [];
  const message = `${name}: rows may be missing: ${JSON.stringify(notice.query)}: ${notice.message}; the summary counts such pages`;
  return [{ type: 'notice', at, stage: name, message }];
}

function namesOf({ name, operation }: FlowStage): { readonly stage: string; readonly operation: string } {
  return { stage: name, operation: operation.name };
}

/** A page of a tile for a map, with where its `rows` lie, and the tiles that turned out to hold more than was found. */
export function tileReports(
  { name, split }: FlowStage,
  query: BegunQuery,
  { ends, cut }: TileSearched,
  left: readonly LeftTile[],
  got: number,
  rows: readonly object[],
): readonly TileReport[] {
  const tile = split?.kind === 'area' ? tileOf(split.spec, query) : undefined;
  if (tile === undefined || split?.kind !== 'area') return [];
  const dots = rows.flatMap((row): [number, number][] => {
    const at = positionOf(row, split.spec);
    return at === undefined ? [] : [[mapX(at.longitude), mapY(at.latitude)]];
  });
  const isDone = ends?.type === 'QueryEnded';
  const full = left.map(({ tile: { x, y, across, down, zoom } }): TileReport => ({
    stage: name,
    x,
    y,
    across,
    down,
    zoom,
    rows: 0,
    end: 'full',
    dots: [],
  }));
  return [{ stage: name, ...tile, rows: isDone ? got : undefined, end: cut ? 'split' : 'done', dots }, ...full];
}
