import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { readView } from '../../../operators/split/AreaSpec.ts';
import type { AreaSpec } from '../../../operators/split/Splits.ts';
import type { Tile } from '../../../operators/split/AreaCover.ts';
import { pixelAt } from '../../../operators/split/Area.ts';
import { isTile } from './StageSplit.ts';
import type { FoundQuery } from '../core/Query.ts';

/** The rectangle of the map that a query of a stage covers. undefined before it has a size. */
export function tileOf(spec: AreaSpec, { tile, params }: Pick<FoundQuery, 'tile' | 'params'>): Tile | undefined {
  if (!isTile(tile)) return undefined;
  const view = readView(spec, textOfValue(params[spec.param]));
  if (view === undefined) return undefined;
  const pixel = pixelAt(view.zoom);
  return { ...view, across: tile.across * pixel, down: tile.down * pixel };
}
