import { type StageDefinition, type QueryParams, isSeeds, listed } from '../definition/flowFormat.ts';
import type { StageSplit, QuerySplit, SplitQuery, AreaSplit } from './StageSplit.ts';
import { type Operation, checkQuery, instead, pagingKindOf, timesOf } from '../../contract/index.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { LruCache } from '../../../operators/kit/LruCache.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { rangeAxis, yearAxis, byValues } from '../../../operators/split/byRange.ts';
import { boundedRanges, halvedRanges, isFullRange, narrowerRanges, type RangeAxis } from '../../../operators/split/RangeAxis.ts';
import type { Area, Within } from '../../../operators/split/Area.ts';
import { daysAxis } from './daysAxis.ts';
import { readArea, withinFault, type CheckedFolder, type CompiledFolder, type SplitFault } from './readArea.ts';
import { isOutside, spotsOf } from '../../../operators/split/AreaSpec.ts';
import { usualPage } from '../../../operators/split/RowCap.ts';
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

/** The number of rows at which a query of a stage counts as full. `isBounded`: it is divided in any case. */
function fullOf({ split }: StageDefinition, { name, spec }: Operation, isBounded: boolean = false): number {
  const full = split?.full ?? spec.splits?.full;
  if (full === undefined && isBounded) return Infinity;
  if (full === undefined) throw new RangeError(`full: ${name} doesn't say how many rows a search returns at most; give the number`);
  return full;
}

/** Pieces of a range of numbers, days or years. */
const rangeKind: SplitKind<QuerySplit<'range'>> = {
  key: 'split',
  isAskedFor: ({ split }) => split !== undefined && split.values === undefined,
  fault({ split, with: given }) {
    const both = split!.params?.filter((param) => ownValue(given, param) !== undefined) ?? [];
    return both.length === 2 ? { message: `leave ${both.join(' and ')} out of with: each piece has its own` } : undefined;
  },
  compile(stage, operation, { now }) {
    if (stage.split!.by === undefined) return byDays(stage, operation, now);
    const axis = axisOf(stage, operation);
    const made = (queries: readonly QueryParams[], claim?: number): readonly SplitQuery[] =>
      queries.map((query) => ({ params: typed(operation, query, axis.params), tile: { range: { claim } } }));
    return along(axis, made, fullOf(stage, operation));
  },
};

/** How queries are divided along a range. */
function along(
  axis: RangeAxis,
  made: (queries: readonly QueryParams[], claim?: number) => readonly SplitQuery[],
  full: number,
): QuerySplit<'range'> {
  return {
    kind: 'range',
    isFull: ({ params, tile }, { rows, claim }) =>
      rows >= full || isFullRange(axis, params, { full, claim, widerClaim: tile?.range?.claim }),
    narrower: ({ params, tile }, { claim }) => made(narrowerRanges(axis, params, { full, claim, widerClaim: tile?.range?.claim }), claim),
    bounded: axis.bounds && ((own, time) => made(boundedRanges(axis, own, time === undefined ? 0 : axis.indexAt?.(time)))),
    halved: ({ params }) => made(halvedRanges(axis, params)),
  };
}

/** Days, as the texts of the operation take them: from `from` to `to`, or one by one where only one of them is mentioned. */
function byDays(stage: StageDefinition, operation: Operation, now: number = Date.now()): QuerySplit<'range'> {
  const { from } = stage.split!;
  const times = timesOf(operation).filter((name) => name !== 'since');
  if (times.length === 0)
    throw new RangeError(`by: ${operation.name} takes no days: no text of it has \${from} or \${to}. ${waysOf(operation)}`);
  if (from === undefined) throw new RangeError('from: say where the range begins: a day such as 2020-01-31');
  const axis = daysAxis(stage, operation, now);
  const isSent = (param: string): boolean => !['from', 'to'].includes(param) || times.includes(param as 'from');
  const made = (queries: readonly QueryParams[], claim?: number): readonly SplitQuery[] =>
    queries.map((query) => ({
      params: Object.fromEntries(Object.entries(query).filter(([param]) => isSent(param))),
      tile: { range: { claim } },
    }));
  const split = along(axis, made, fullOf(stage, operation, axis.bounds !== undefined));
  return times.length === 2 ? split : { ...split, isFull: () => false, halved: () => [] };
}

/** The range that a stage's queries are split by. */
function axisOf({ split }: StageDefinition, operation: Operation): RangeAxis {
  const { by, params, from, to, step, upper } = split!;
  const { name, spec } = operation;
  if (by === 'year' && spec.splits?.year !== undefined) return yearAxis(spec.splits.year);
  if (by !== 'range')
    throw new RangeError(`${waysOf(operation)}; give the values of '${by}'${spec.splits?.area === undefined ? '' : useCover}`);
  if (params === undefined || from === undefined) throw new RangeError(`${by} needs params (the names of two parameters) and from`);
  for (const param of params) {
    if (Object.hasOwn(operation.params, param)) continue;
    throw new RangeError(`${name} has no parameter '${param}'${instead(param, Object.keys(operation.params), '')}`);
  }
  const pair = [params[0]!, params[1]!] as const;
  const axis = rangeAxis({ params: pair, from: from as number, to: to as number, step, upper });
  const whole = typed(operation, { [pair[0]]: axis.valueOf(0, 'first'), [pair[1]]: axis.valueOf(axis.last, 'last') }, pair);
  const wrong = checkQuery(operation, whole).find(({ param }) => pair.includes(param));
  if (wrong !== undefined) throw new RangeError(wrong.message);
  return axis;
}

function waysOf(operation: Operation): string {
  const days = timesOf(operation).some((name) => name !== 'since') ? ['from, a day'] : [];
  const year = operation.spec.splits?.year === undefined ? [] : ["by: 'year'"];
  return `${operation.name} can be split by ${['values', "by: 'range'", ...days, ...year].join(', or ')}`;
}

/** Bounds in the type that the operation takes. */
function typed({ params }: Operation, query: QueryParams, bounds: readonly string[]): QueryParams {
  const texts = bounds.filter((bound) => params[bound]!.type === 'string' && ownValue(query, bound) !== undefined);
  return texts.length === 0 ? query : { ...query, ...Object.fromEntries(texts.map((bound) => [bound, textOfValue(query[bound])])) };
}

/** The number of areas to cache. Rows of one seed come together. */
const remembered = 16;

/** What to do instead, for keys that don't go with `cover`. */
const insteadOf = {
  grid: '',
  limit: ': an area is whole only if its tiles are. Take a smaller area',
  since: ': tiles differ from run to run. Leave since out, and an update compares all rows',
} as const;

const areaKind: SplitKind<AreaSplit> = {
  key: 'cover',
  isAskedFor: ({ cover }) => cover !== undefined,
  fault(stage, operation, { folder, fileSystem, outsideOf }) {
    const { within } = stage.cover!;
    const param = operation.spec.splits?.area?.param;
    const seeds = listed(stage.each).some(isSeeds);
    const other = (['grid', 'limit', 'since'] as const).find((key) => stage[key] !== undefined);
    if (other !== undefined) return { message: `a stage has cover or ${other}, not both${insteadOf[other]}` };
    if (stage.each !== undefined && !seeds)
      return { message: 'a stage with cover runs by itself or over seeds, not over the rows of another stage' };
    if (param !== undefined && ownValue(stage.with, param) !== undefined)
      return { message: `leave ${param} out of with: each tile has its own` };
    return withinFault(stage, within, { folder, fileSystem, outsideOf });
  },
  compile({ cover }, { name, spec: { splits, paging, id } }, { bind, ...where }) {
    if (splits?.area === undefined) throw new RangeError(`${name} doesn't say how to search one part of the map`);
    const { within, zoom = splits.area.zoom, full = splits.full, clip = true } = cover!;
    const [lowest, highest] = zoom;
    if (lowest! > highest!) throw new RangeError(`zoom: the lowest comes first, not ${JSON.stringify(zoom)}`);
    const from = typeof within === 'string' && within.startsWith('$') ? bind(within) : undefined;
    const only = from === undefined ? readArea('cover', within as string | Within, where) : undefined;
    const areas = new LruCache<string, Area>(remembered);
    const spec = splits.area;
    const areaNamed = (text: string = ''): Area => only ?? areas.use(text, () => readArea('cover', text, where, true));
    return {
      kind: 'area',
      spec,
      full,
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
    if (by === undefined) throw new RangeError('by: name the parameter that takes the values');
    const narrow = byValues<QueryParams>(by, values);
    const full = fullOf(stage, operation);
    return {
      kind: 'values',
      isFull: (_, { rows }) => rows >= full,
      narrower: ({ params }, { data }) => narrow(params, { query: params, rows: [], pages: 0, data }).map((one) => ({ params: one })),
    };
  },
};

const splitKinds = {
  area: areaKind,
  values: valuesKind,
  range: rangeKind,
} satisfies { readonly [Kind in StageSplit['kind']]: SplitKind<Extract<StageSplit, { readonly kind: Kind }>> };

/** The one that a stage asks for. */
export function splitKindOf(stage: StageDefinition): SplitKind | undefined {
  return Object.values<SplitKind>(splitKinds).find(({ isAskedFor }) => isAskedFor(stage));
}
