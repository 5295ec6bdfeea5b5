import { type StageDefinition, type QueryParams, isSeeds, listed } from '../definition/flowFormat.ts';
import type { StageSplit, QuerySplit, SplitQuery, AreaSplit } from './StageSplit.ts';
import { type Operation, checkQuery, instead, pagingKindOf } from '../../contract/index.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { LastUsed } from '../../../operators/kit/LastUsed.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { dateAxis, rangeAxis, yearAxis } from '../../../operators/split/byRange.ts';
import { boundedRanges, halvedRanges, isFullRange, narrowerRanges, type RangeAxis } from '../../../operators/split/RangeAxis.ts';
import type { Area, Within } from '../../../operators/split/Area.ts';
import { readArea, withinFault, type CheckedFolder, type CompiledFolder, type SplitFault } from './readArea.ts';
import { isOutside, spotsOf } from '../../../operators/split/AreaSpec.ts';
import { usualPage } from '../../../operators/split/RowCap.ts';
import { byValues } from '../../../operators/split/byValues.ts';
import { useCover } from '../definition/flowKeys.ts';

/** A way past the cap of a search, as a stage asks for it. */
interface SplitKind<Split extends StageSplit = StageSplit> {
  /** The key of the stage that asks for it. */
  readonly key: 'cover' | 'split';
  readonly isAskedFor: (stage: StageDefinition) => boolean;
  /** What is wrong with the stage's definition, besides what `compile` throws. */
  readonly fault?: (stage: StageDefinition, operation: Operation, where: CheckedFolder) => SplitFault | undefined;
  /** Throws a RangeError that says what is wrong with the definition. */
  readonly compile: (stage: StageDefinition, operation: Operation, where: CompiledFolder) => Split;
}

/** The number of rows at which a query of a stage counts as full. */
function fullOf({ split, limit = Infinity }: StageDefinition, { name, spec }: Operation): number {
  const full = split?.full ?? spec.splits?.full;
  if (full === undefined && (split?.required === true || split?.most !== undefined)) return limit;
  if (full === undefined) throw new RangeError(`full: ${name} doesn't say how many rows a search returns at most; give the number`);
  return Math.min(full, limit);
}

/** Pieces of a range of numbers, days or years. */
const rangeKind: SplitKind<QuerySplit<'range'>> = {
  key: 'split',
  isAskedFor: ({ split }) => split !== undefined && split.values === undefined,
  fault({ split, with: given }) {
    const { most, required } = split!;
    if (most !== undefined && split!.by !== 'dates') return { message: "'most' is about dates", at: 'most' };
    if (most !== undefined && required === false) return { message: 'with most, no query is sent without bounds', at: 'required' };
    const both = split!.params?.filter((param) => ownValue(given, param) !== undefined) ?? [];
    return both.length === 2 ? { message: `leave ${both.join(' and ')} out of with: each piece has its own` } : undefined;
  },
  compile(stage, operation, { now }) {
    const axis = axisOf(stage, operation, now);
    const made = (queries: readonly QueryParams[], claim?: number): readonly SplitQuery[] =>
      queries.map((query) => ({ params: typed(operation, query, axis.params), tile: { range: { claim } } }));
    const full = fullOf(stage, operation);
    return {
      kind: 'range',
      isFull: ({ params, tile }, { rows, claim }) =>
        rows >= full || isFullRange(axis, params, { full, claim, widerClaim: tile?.range?.claim }),
      narrower: ({ params, tile }, { claim }) => made(narrowerRanges(axis, params, { full, claim, widerClaim: tile?.range?.claim }), claim),
      bounded: axis.bounds && ((own, time) => made(boundedRanges(axis, own, time === undefined ? 0 : axis.placeAt?.(time)))),
      halved: ({ params }) => made(halvedRanges(axis, params)),
    };
  },
};

/** The range that a stage's queries are split by. */
function axisOf({ split }: StageDefinition, operation: Operation, now: number | undefined): RangeAxis {
  const { by, params, from, to, step, as, upper, most, required } = split!;
  const { name, spec } = operation;
  if (by === 'year' && spec.splits?.year !== undefined) return yearAxis(spec.splits.year);
  if (by !== 'range' && by !== 'dates') {
    const ways = ['values', "by: 'range'", "by: 'dates'", ...(spec.splits?.year === undefined ? [] : ["by: 'year'"])].join(', or ');
    const area = spec.splits?.area === undefined ? '' : useCover;
    throw new RangeError(`${name} can be split by ${ways}; give the values of '${by}'${area}`);
  }
  if (params === undefined || from === undefined) throw new RangeError(`${by} needs params (the names of two parameters) and from`);
  for (const param of params) {
    if (Object.hasOwn(operation.params, param)) continue;
    throw new RangeError(`${name} has no parameter '${param}'${instead(param, Object.keys(operation.params), '')}`);
  }
  const pair = [params[0]!, params[1]!] as const;
  const axis =
    by === 'dates'
      ? dateAxis({ params: pair, from: String(from), to: to === undefined ? undefined : String(to), as, upper, most, required }, now)
      : rangeAxis({ params: pair, from: from as number, to: to as number, step, upper, required });
  const whole = typed(operation, { [pair[0]]: axis.valueOf(0, 'first'), [pair[1]]: axis.valueOf(axis.last, 'last') }, pair);
  const wrong = checkQuery(operation, whole).find(({ param }) => pair.includes(param));
  if (wrong !== undefined) throw new RangeError(`${wrong.message}${by === 'dates' ? '. How days are written is set with as' : ''}`);
  return axis;
}

/** Bounds in the type that the operation takes. */
function typed({ params }: Operation, query: QueryParams, bounds: readonly string[]): QueryParams {
  const texts = bounds.filter((bound) => params[bound]!.type === 'string' && ownValue(query, bound) !== undefined);
  return texts.length === 0 ? query : { ...query, ...Object.fromEntries(texts.map((bound) => [bound, textOfValue(query[bound])])) };
}

/** The number of areas to cache. Rows of one seed come together. */
const remembered = 16;

/** Tiles of an area. */
const areaKind: SplitKind<AreaSplit> = {
  key: 'cover',
  isAskedFor: ({ cover }) => cover !== undefined,
  fault(stage, operation, { folder, fileSystem, outsideOf }) {
    const { within } = stage.cover!;
    const param = operation.spec.splits?.area?.param;
    const seeds = listed(stage.each).some(isSeeds);
    if (stage.grid !== undefined) return { message: 'a stage has cover or grid, not both' };
    if (stage.each !== undefined && !seeds)
      return { message: 'a stage with cover runs by itself or over seeds, not over the rows of another stage' };
    if (param !== undefined && ownValue(stage.with, param) !== undefined)
      return { message: `leave ${param} out of with: each tile has its own` };
    return withinFault(stage, within, { folder, fileSystem, outsideOf });
  },
  compile({ cover, limit = Infinity }, { name, spec: { splits, paging, id } }, { bind, ...where }) {
    if (splits?.area === undefined) throw new RangeError(`${name} doesn't say how to search one part of the map`);
    const { within, zoom = splits.area.zoom, full = splits.full, clip = true } = cover!;
    const [lowest, highest] = zoom;
    if (lowest! > highest!) throw new RangeError(`zoom: the lowest comes first, not ${JSON.stringify(zoom)}`);
    const from = typeof within === 'string' && within.startsWith('$') ? bind(within) : undefined;
    const only = from === undefined ? readArea('cover', within as string | Within, where) : undefined;
    const areas = new LastUsed<string, Area>(remembered);
    const spec = splits.area;
    const areaNamed = (text: string = ''): Area => only ?? areas.use(text, () => readArea('cover', text, where, true));
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
        return {
          spotsOf: (rows) => spotsOf(rows, spec, id),
          isOutside: (row) => clip && isOutside(row, area, spec),
        };
      },
    };
  },
};

/** A narrower query for each value of a parameter. */
const valuesKind: SplitKind<QuerySplit<'values'>> = {
  key: 'split',
  isAskedFor: ({ split }) => split?.values !== undefined,
  compile(stage, operation) {
    const { by, values = [] } = stage.split!;
    const narrow = byValues<QueryParams>(by, values);
    const full = fullOf(stage, operation);
    return {
      kind: 'values',
      isFull: (_, { rows }) => rows >= full,
      narrower: ({ params }, { data }) => narrow(params, { query: params, rows: [], pages: 0, data }).map((one) => ({ params: one })),
    };
  },
};

/** All ways past the cap of a search. */
const splitKinds = {
  area: areaKind,
  values: valuesKind,
  range: rangeKind,
} satisfies { readonly [Kind in StageSplit['kind']]: SplitKind<Extract<StageSplit, { readonly kind: Kind }>> };

/** The one that a stage asks for. */
export function splitKindOf(stage: StageDefinition): SplitKind | undefined {
  return Object.values<SplitKind>(splitKinds).find(({ isAskedFor }) => isAskedFor(stage));
}
