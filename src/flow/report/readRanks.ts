import { isWanted } from '../../../operators/rowConditions.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { bindQueries, keptColumns, type KeptColumns } from '../query/bindQueries.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import type { FlowView } from '../core/FlowState.ts';
import { rankFile, type GridRanks, type RankedPoint } from './GridRanks.ts';
import { pointColumns } from '../split/gridParam.ts';
import { rowSource } from '../state/FlowFiles.ts';
import { type ReadFolder, readRows } from '../state/readRows.ts';

/** More searches than these have no ranks: each is a map of its own. */
const mostSearches = 50;

/** The files with the ranks of a flow's grids. */
export function rankFilesOf(flow: Flow): readonly string[] {
  return flow.stages.filter(hasRanks).map(({ name }) => rankFile(name));
}

/** Whether a stage looks for something at each point of a grid. */
function hasRanks({ grid, outputs, where, until }: FlowStage): boolean {
  return grid !== undefined && outputs.length > 0 && where.length + until.length > 0;
}

/** The ranks of a flow's grids, from the rows in its folder, whichever run wrote them. */
export async function readRanks(flow: Flow, folder: ReadFolder, { queries }: Pick<FlowView, 'queries'>): Promise<readonly GridRanks[]> {
  const all: GridRanks[] = [];
  for (const stage of flow.stages.filter(hasRanks)) {
    const missing = [...Array.from(queries.failed.values(), ({ query }) => query), ...queries.open.values()].filter(
      (query) => query.stage === stage.name,
    );
    const isUnknown = new Set(missing.map(({ kept }) => JSON.stringify(kept)));
    const searches = new Map<string, GridRanks & { readonly byPoint: Map<string, RankedPoint> }>();
    const pointAt = (kept: KeptColumns): RankedPoint | undefined => {
      const { [pointColumns[0]]: latitude, [pointColumns[1]]: longitude, ...search } = kept;
      const name = JSON.stringify(search);
      let found = searches.get(name);
      if (found === undefined) {
        if (searches.size === mostSearches) return undefined;
        searches.set(name, (found = { stage: stage.name, search, points: [], byPoint: new Map() }));
      }
      const at = `${String(latitude)} ${String(longitude)}`;
      let point = found.byPoint.get(at);
      if (point === undefined && typeof latitude === 'number' && typeof longitude === 'number')
        found.byPoint.set(at, (point = { latitude, longitude, rank: undefined, rows: 0, isUnknown: isUnknown.has(JSON.stringify(kept)) }));
      return point;
    };
    let last: unknown; // of a series, only the rows of the last run count
    for (const params of queriesOf(stage)) pointAt(keptColumns(stage, {}, params)!);
    for await (const { row } of readRows(folder, rowSource(flow, stage)!)) {
      const seenAt = stage.series ? ownValue(row, 'seen_at') : undefined;
      if (seenAt !== last) for (const { byPoint } of searches.values()) for (const point of byPoint.values()) forget(point);
      last = seenAt;
      if (!isWanted(row, stage.until)) continue;
      const point = pointAt(Object.fromEntries(stage.keep.map(([column]) => [column, ownValue(row, column)])));
      if (point === undefined) continue;
      const rank = ['rank', 'position'].map((field) => ownValue(row, field)).find((value) => typeof value === 'number') as
        | number
        | undefined;
      point.rows += 1;
      if (rank !== undefined && rank < (point.rank ?? Infinity)) point.rank = rank;
    }
    all.push(...Array.from(searches.values(), ({ byPoint, ...one }) => ({ ...one, points: [...byPoint.values()] })));
  }
  return all;
}

function forget(point: RankedPoint): void {
  point.rank = undefined;
  point.rows = 0;
}

/** The queries that don't depend on a row: all points, also those where nothing was found. */
function queriesOf(stage: FlowStage): Iterable<QueryParams> {
  return stage.parents.length === 0 && stage.seeds === undefined ? bindQueries(stage, {}) : [];
}
