import { boxOf } from '../../../operators/split/AreaPlan.ts';
import { quarters } from '../../../operators/split/layOut.ts';
import { latitudeAt, longitudeAt, mapX, mapY, pixelAt } from '../../../operators/split/mercator.ts';
import { readView, writeView } from '../../../operators/split/viewText.ts';
import { valueAt } from '../../../operators/walk/valueAt.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { FoundQuery, StageQuery } from '../query/StageQuery.ts';
import type { AreaSplit } from './StageSplit.ts';

/** Whether this many rows mean that the service has more than it returns. `over`: the walk has ended by itself. */
export function isFull({ split }: FlowStage, query: StageQuery, rows: number, over: boolean): boolean {
  if (split === undefined) return false;
  if (split.kind === 'query') return rows >= split.full;
  const cap = query.tile?.cap;
  if (cap !== undefined) return rows >= cap * (over ? 0.95 : 1);
  return over && (rows >= split.full || (rows >= 2 * split.pageSize && rows % split.pageSize === 0));
}

/** The queries that a full one is split into. Empty if it can't be split. */
export function narrowerQueries(stage: FlowStage, { params, kept, tile }: StageQuery): FoundQuery[] {
  const { name, split } = stage;
  if (split === undefined) return [];
  if (split.kind === 'query') return split.narrower(params).map((narrower) => ({ stage: name, params: narrower, kept }));
  const { spec, zoom, areaOf } = split;
  const view = readView(spec, String(params[spec.param]));
  if (view === undefined || tile?.across === undefined || tile.down === undefined || view.zoom >= zoom[1]) return [];
  const pixel = pixelAt(view.zoom);
  const area = areaOf(tile.area);
  // the text of a view is normalized: near the date line a tile may be 360 degrees away from its area
  const x = view.x + Math.round((area.box.left + area.box.right) / 2 - view.x);
  return quarters({ ...view, x, across: tile.across * pixel, down: tile.down * pixel })
    .filter((quarter) => area.touches(boxOf(quarter)))
    .map((quarter) => ({ stage: name, params: { ...params, [spec.param]: writeView(spec, quarter) }, kept, tile }));
}

/** Whether a row lies in the area of its query. A row without a position counts as inside. */
export function liesInside(split: AreaSplit, { tile }: StageQuery, row: object): boolean {
  const [latitude, longitude] = [valueAt(row, split.spec.latitude), valueAt(row, split.spec.longitude)];
  if (!split.clip || typeof latitude !== 'number' || typeof longitude !== 'number') return true;
  return split.areaOf(tile?.area).contains(longitudeAt(mapX(longitude)), latitudeAt(mapY(latitude)));
}
