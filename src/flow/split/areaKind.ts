import { usualPage } from '../../../operators/split/RowCap.ts';
import { pagingKindOf } from '../../contract/index.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { Area, Within } from '../../../operators/split/Area.ts';
import { parsePath } from '../../contract/valuesAt.ts';
import { isSeeds, listed } from '../definition/flowFormat.ts';
import { readArea } from './readArea.ts';
import type { SplitKind } from './SplitKind.ts';
import type { AreaSplit } from './StageSplit.ts';

/** The number of areas to cache. Rows of one seed come together. */
const remembered = 16;

/** Tiles of an area. */
export const areaKind: SplitKind<AreaSplit> = {
  key: 'cover',
  isAskedFor: ({ cover }) => cover !== undefined,
  fault(stage, operation, { folder, outsideOf }) {
    const { area } = stage.cover!;
    const param = operation.spec.splits?.area?.param;
    const seeds = listed(stage.each).some(isSeeds);
    if (stage.each !== undefined && !seeds)
      return { message: 'a stage that covers areas runs by itself or over seeds, not over rows of another' };
    if (param !== undefined && ownValue(stage.with, param) !== undefined)
      return { message: `leave ${param} out of with: each tile has its own` };
    if (typeof area !== 'string' || /^\s*[[{]/.test(area)) return undefined;
    if (!area.startsWith('$')) {
      const message = existsSync(resolve(folder, area)) ? outsideOf(area) : `there is no file ${area}`;
      return message === undefined ? undefined : { message, at: 'area' };
    }
    if (!seeds) return { message: `${area} reads a field of the seeds; there are none`, at: 'area' };
    const path = parsePath(area.replace(/^\$\./, ''));
    return path === undefined ? { message: `'${area}' is no path: write $.field`, at: 'area' } : undefined;
  },
  compile({ cover, limit = Infinity }, { name, spec: { splits, paging } }, { folder, bind }) {
    if (splits?.area === undefined) throw new RangeError(`${name} does not say how to search a part of the map`);
    const { area, zoom = splits.area.zoom, full = splits.full, clip = true } = cover!;
    const [lowest, highest] = zoom;
    if (lowest! > highest!) throw new RangeError(`zoom: the lowest comes first, not ${JSON.stringify(zoom)}`);
    const from = typeof area === 'string' && area.startsWith('$') ? bind(area) : undefined;
    const only = from === undefined ? readArea(area as string | Within, folder) : undefined;
    const areas = new Map<string, Area>();
    return {
      kind: 'area',
      spec: splits.area,
      full: Math.min(full, limit),
      pageSize: pagingKindOf(paging).pageSize(paging) ?? usualPage,
      zoom: [lowest!, highest!],
      clip,
      from,
      areaOf(text = '') {
        if (only !== undefined) return only;
        let known = areas.get(text);
        if (known === undefined) {
          if (areas.size >= remembered) areas.delete(areas.keys().next().value!);
          areas.set(text, (known = readArea(text, folder, true)));
        }
        return known;
      },
    };
  },
};
