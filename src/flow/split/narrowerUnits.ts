import { boxOf } from '../../../operators/split/AreaPlan.ts';
import { quarters } from '../../../operators/split/layOut.ts';
import { latitudeAt, longitudeAt, mapX, mapY, pixelAt } from '../../../operators/split/mercator.ts';
import { readView, writeView } from '../../../operators/split/viewText.ts';
import { valueAt } from '../../../operators/walk/valueAt.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { Found, Unit } from '../unit/Unit.ts';
import type { AreaSplit } from './StageSplit.ts';

/** Whether so many rows mean that the service has more than it gives. `over`: the walk has ended by itself. */
export function isFull({ split }: FlowStage, unit: Unit, rows: number, over: boolean): boolean {
  if (split === undefined) return false;
  if (split.kind === 'query') return rows >= split.full;
  const cap = unit.tile?.cap;
  if (cap !== undefined) return rows >= cap * (over ? 0.95 : 1);
  return over && (rows >= split.full || (rows >= 2 * split.pageSize && rows % split.pageSize === 0));
}

/** The queries that a full one is split into; none when it can't be. */
export function narrowerUnits(stage: FlowStage, { query, kept, tile }: Unit): Found[] {
  const { name, split } = stage;
  if (split === undefined) return [];
  if (split.kind === 'query') return split.narrower(query).map((narrower) => ({ stage: name, query: narrower, kept }));
  const { spec, zoom, areaOf } = split;
  const view = readView(spec, String(query[spec.param]));
  if (view === undefined || tile?.across === undefined || tile.down === undefined || view.zoom >= zoom[1]) return [];
  const pixel = pixelAt(view.zoom);
  const area = areaOf(tile.area);
  // the text of a view has no turns: near the date line a tile may be a whole turn away from its area
  const x = view.x + Math.round((area.box.left + area.box.right) / 2 - view.x);
  return quarters({ ...view, x, across: tile.across * pixel, down: tile.down * pixel })
    .filter((quarter) => area.touches(boxOf(quarter)))
    .map((quarter) => ({ stage: name, query: { ...query, [spec.param]: writeView(spec, quarter) }, kept, tile }));
}

/** Whether a row lies where its unit is to look. A row that doesn't say where it is does. */
export function liesInside(split: AreaSplit, { tile }: Unit, row: object): boolean {
  const [latitude, longitude] = [valueAt(row, split.spec.latitude), valueAt(row, split.spec.longitude)];
  if (!split.clip || typeof latitude !== 'number' || typeof longitude !== 'number') return true;
  return split.areaOf(tile?.area).contains(longitudeAt(mapX(longitude)), latitudeAt(mapY(latitude)));
}
