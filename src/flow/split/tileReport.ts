import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { mapX, mapY, pixelAt } from '../../../operators/split/mercator.ts';
import { positionOf, readView } from '../../../operators/split/AreaSpec.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import type { CoverStep } from './StageCovers.ts';

/** A tile that was searched. Positions are on a map of size 1, from the north-west. */
export interface TileReport {
  readonly stage: string;
  readonly x: number;
  readonly y: number;
  /** Half its width and half its height. */
  readonly across: number;
  readonly down: number;
  readonly zoom: number;
  /** Its rows, before any are left out. undefined while it has more pages. */
  readonly rows: number | undefined;
  readonly end: 'done' | 'split' | 'full';
  /** The positions of this page's written rows. */
  readonly dots: readonly (readonly [x: number, y: number])[];
}

/** The progress event of a page of a tile, for the map in the report. undefined if the stage covers no area. */
export function tileReport(
  { name, split }: FlowStage,
  { tile, params }: StageQuery,
  { end }: CoverStep,
  got: number,
  rows: readonly object[],
): TileReport | undefined {
  if (split?.kind !== 'area' || tile?.across === undefined || tile.down === undefined) return undefined;
  const view = readView(split.spec, textOfValue(params[split.spec.param]));
  if (view === undefined) return undefined;
  const pixel = pixelAt(view.zoom);
  const dots = rows.flatMap((row): [number, number][] => {
    const at = positionOf(row, split.spec);
    return at === undefined ? [] : [[mapX(at.longitude), mapY(at.latitude)]];
  });
  return {
    stage: name,
    ...view,
    across: tile.across * pixel,
    down: tile.down * pixel,
    rows: end === undefined ? undefined : got,
    end: end === 'split' ? 'split' : end === undefined || end === 'whole' ? 'done' : 'full',
    dots,
  };
}
