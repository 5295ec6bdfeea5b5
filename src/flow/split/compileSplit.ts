import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Area, Within } from '../../../operators/split/Area.ts';
import { areaOf } from '../../../operators/split/areaOf.ts';
import { byValues } from '../../../operators/split/byValues.ts';
import { byYear } from '../../../operators/split/byYear.ts';
import type { Operation } from '../../contract/index.ts';
import type { Binding } from '../definition/parseBinding.ts';
import type { StageDefinition, QueryParams } from '../definition/flowFormat.ts';
import type { StageSplit } from './StageSplit.ts';

/** The number of areas to cache. Rows of one seed come together. */
const remembered = 16;

/** Compiles how a stage gets past the cap. Throws a RangeError that says what is wrong with the definition. */
export function compileSplit(
  { cover, split, limit = Infinity }: StageDefinition,
  operation: Operation,
  folder: string,
  bind: (text: string) => Binding,
): StageSplit | undefined {
  const { splits, paging } = operation.spec;
  if (cover !== undefined) {
    if (splits?.area === undefined) throw new RangeError(`${operation.name} does not say how to search a part of the map`);
    const [least, greatest] = cover.zoom ?? splits.area.zoom;
    if (least! > greatest!) throw new RangeError(`zoom: the least comes first, not ${JSON.stringify(cover.zoom)}`);
    const { area } = cover;
    const from = typeof area === 'string' && area.startsWith('$') ? bind(area) : undefined;
    const only = from === undefined ? readArea(area as string | Within, folder) : undefined;
    const areas = new Map<string, Area>();
    return {
      kind: 'area',
      spec: splits.area,
      full: Math.min(cover.full ?? splits.full, limit),
      pageSize: paging.kind === 'offset' && paging.step !== 'received' ? Math.max(2, paging.step) : 20,
      zoom: [least!, greatest!],
      clip: cover.clip ?? true,
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
  }
  if (split === undefined) return undefined;
  const full = split.full ?? splits?.full;
  if (full === undefined) throw new RangeError(`full: ${operation.name} does not say how many rows a search gives at most; say it`);
  if (split.values === undefined && (split.by !== 'year' || splits?.year === undefined)) {
    const ways = splits?.year === undefined ? 'values' : "values, or by: 'year'";
    throw new RangeError(`${operation.name} can be split by ${ways}; give the values of '${split.by}'`);
  }
  const narrow = split.values === undefined ? byYear<QueryParams>() : byValues<QueryParams>(split.by, split.values);
  const factory = { name: operation.name, splits };
  return {
    kind: 'query',
    full: Math.min(full, limit),
    narrower: (query) => narrow(query, { query, rows: [], pages: 0, factory }),
  };
}

/** An area in a flow or in a row: GeoJSON, its text, or a file beside the flow. */
function readArea(area: string | Within, folder: string, ofRow: boolean = false): Area {
  if (typeof area !== 'string') return areaOf('area', area);
  const inline = /^\s*[[{]/.test(area);
  if (ofRow && !inline && /^([/\\~]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(area)) {
    throw new RangeError(`area: ${area} is not beside the flow; a row may name files there only`);
  }
  let text = area;
  try {
    if (!inline) text = readFileSync(resolve(folder, area), 'utf8');
  } catch (error) {
    throw new RangeError(`area: ${area} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return areaOf(inline ? 'area' : area, JSON.parse(text) as Within);
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new RangeError(`area: ${inline ? 'the text' : area} is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}
