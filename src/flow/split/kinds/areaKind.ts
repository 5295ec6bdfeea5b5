import { resolve } from 'node:path';
import { ownValue } from '../../../../operators/kit/ownValue.ts';
import type { Area, Within } from '../../../../operators/split/Area.ts';
import { isOutside, spotsOf } from '../../../../operators/split/AreaSpec.ts';
import { usualPage } from '../../../../operators/split/RowCap.ts';
import { pagingKindOf } from '../../../contract/index.ts';
import { parsePath } from '../../../contract/valuesAt.ts';
import { pathExists } from '../../../files/blocks.ts';
import { isSeeds, listed } from '../../definition/flowFormat.ts';
import type { AreaSplit } from '../StageSplit.ts';
import { liesIn, tileOf } from '../tileOf.ts';
import { readArea } from './readArea.ts';
import type { SplitKind } from './SplitKind.ts';

/** The number of areas to cache. Rows of one seed come together. */
const remembered = 16;

/** Tiles of an area. */
export const areaKind: SplitKind<AreaSplit> = {
  key: 'cover',
  isAskedFor: ({ cover }) => cover !== undefined,
  fault(stage, operation, { folder, fileSystem, outsideOf }) {
    const { within } = stage.cover!;
    const param = operation.spec.splits?.area?.param;
    const seeds = listed(stage.each).some(isSeeds);
    if (stage.each !== undefined && !seeds)
      return { message: 'a stage with cover runs by itself or over seeds, not over the rows of another stage' };
    if (param !== undefined && ownValue(stage.with, param) !== undefined)
      return { message: `leave ${param} out of with: each tile has its own` };
    if (typeof within !== 'string' || /^\s*[[{]/.test(within)) return undefined;
    if (!within.startsWith('$')) {
      const message = pathExists(resolve(folder, within), fileSystem) ? outsideOf(within) : `there is no file ${within}`;
      return message === undefined ? undefined : { message, at: 'within' };
    }
    if (!seeds) return { message: `${within} reads a field of a seed, but the stage has no seeds`, at: 'within' };
    const path = parsePath(within.replace(/^\$\./, ''));
    return path === undefined ? { message: `'${within}' isn't a path: write $.field`, at: 'within' } : undefined;
  },
  compile({ cover, limit = Infinity }, { name, spec: { splits, paging, id } }, { bind, ...where }) {
    if (splits?.area === undefined) throw new RangeError(`${name} doesn't say how to search one part of the map`);
    const { within, zoom = splits.area.zoom, full = splits.full, clip = true } = cover!;
    const [lowest, highest] = zoom;
    if (lowest! > highest!) throw new RangeError(`zoom: the lowest comes first, not ${JSON.stringify(zoom)}`);
    const from = typeof within === 'string' && within.startsWith('$') ? bind(within) : undefined;
    const only = from === undefined ? readArea(within as string | Within, where) : undefined;
    const areas = new Map<string, Area>();
    const spec = splits.area;
    const areaNamed = (text: string = ''): Area => {
      if (only !== undefined) return only;
      let known = areas.get(text);
      if (known === undefined) {
        if (areas.size >= remembered) areas.delete(areas.keys().next().value!);
        areas.set(text, (known = readArea(text, where, true)));
      }
      return known;
    };
    return {
      kind: 'area',
      spec,
      full: Math.min(full, limit),
      pageSize: pagingKindOf(paging).pageSize ?? usualPage,
      zoom: [lowest!, highest!],
      clip,
      from,
      areaOf: areaNamed,
      searchedBy(query) {
        const area = areaNamed(query.tile?.area);
        const tile = tileOf(spec, query);
        return {
          spotsOf: (rows) => spotsOf(rows, spec, id),
          isOutside: (row) => clip && isOutside(row, area, spec),
          isBeside: (row) => tile === undefined || !liesIn(tile, row, spec),
        };
      },
    };
  },
};
