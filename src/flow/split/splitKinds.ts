import { type StageDefinition, type QueryParams, isSeeds, listed } from '../definition/flowFormat.ts';
import type { StageSplit, QuerySplit, SplitQuery, AreaSplit } from './StageSplit.ts';
import { type Operation, checkQuery, instead, pagingKindOf } from '../../contract/index.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { LastUsed } from '../../../operators/kit/LastUsed.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import { dateAxis, rangeAxis } from '../../../operators/split/byRange.ts';
import { neverFull } from '../../../operators/split/RangePiece.ts';
import {
  boundedRanges,
  halvedRanges,
  isFullRange,
  narrowerRanges,
  nextRange,
  rowPlaces,
  type RangeQuery,
} from '../../../operators/split/RangeAxis.ts';
import { rowMark } from '../../../operators/walk/markOf.ts';
import type { Area, Within } from '../../../operators/split/Area.ts';
import { readArea, withinFault, type CheckedFolder, type CompiledFolder, type SplitFault } from './readArea.ts';
import { isOutside, spotsOf } from '../../../operators/split/AreaSpec.ts';
import { usualPage } from '../../../operators/split/RowCap.ts';
import { byValues } from '../../../operators/split/byValues.ts';
import { byYear } from '../../../operators/split/byYear.ts';
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

/** Queries that are split by themselves: nothing follows one that isn't full. */
function wholeQueries(full: number): Pick<QuerySplit<unknown>, 'isFull' | 'after' | 'placesOf'> {
  return { isFull: (_, { rows }) => rows >= full, after: () => [], placesOf: () => undefined };
}

function inParams(queries: readonly QueryParams[]): readonly SplitQuery[] {
  return queries.map((params) => ({ params }));
}

/** The number of rows at which a query of a stage counts as full. */
function fullOf({ split, limit = Infinity }: StageDefinition, { name, spec }: Operation): number {
  const full = split?.full ?? spec.splits?.full;
  if (full === undefined && (split?.required === true || split?.most !== undefined)) return Math.min(neverFull, limit);
  if (full === undefined) throw new RangeError(`full: ${name} doesn't say how many rows a search returns at most; give the number`);
  return Math.min(full, limit);
}

/** Pieces of a range of numbers or days. */
const rangeKind: SplitKind<QuerySplit<'range'>> = {
  key: 'split',
  isAskedFor: ({ split }) => split !== undefined && split.values === undefined && isRange(split.by),
  fault({ split, with: given }) {
    const { most, required } = split!;
    if (most !== undefined && split!.by !== 'dates') return { message: "'most' is about dates", at: 'most' };
    if (most !== undefined && required === false) return { message: 'with most, no query is sent without bounds', at: 'required' };
    const both = split!.params?.filter((param) => ownValue(given, param) !== undefined) ?? [];
    return both.length === 2 ? { message: `leave ${both.join(' and ')} out of with: each piece has its own` } : undefined;
  },
  compile(stage, operation, { now }) {
    const { by, params, from, to, step, as, upper, most, required } = stage.split!;
    if (params === undefined || from === undefined) throw new RangeError(`${by} needs params (the names of two parameters) and from`);
    for (const param of params) {
      if (Object.hasOwn(operation.params, param)) continue;
      throw new RangeError(`${operation.name} has no parameter '${param}'${instead(param, Object.keys(operation.params), '')}`);
    }
    const pair = [params[0]!, params[1]!] as const;
    const axis =
      by === 'dates'
        ? dateAxis({ params: pair, from: String(from), to: to === undefined ? undefined : String(to), as, upper, most, required }, now)
        : rangeAxis({ params: pair, from: from as number, to: to as number, step, upper, required });
    const whole = typed(operation, { [pair[0]]: axis.valueOf(0, 'first'), [pair[1]]: axis.valueOf(axis.last, 'last') }, pair);
    const wrong = checkQuery(operation, whole).find(({ param }) => pair.includes(param));
    if (wrong !== undefined) throw new RangeError(`${wrong.message}${by === 'dates' ? '. How days are written is set with as' : ''}`);
    const made = (queries: readonly RangeQuery<QueryParams>[]): readonly SplitQuery[] =>
      queries.map(({ query, piece }) => ({ params: typed(operation, query, pair), tile: { range: piece } }));
    const full = fullOf(stage, operation);
    const { id } = operation.spec;
    return {
      kind: 'range',
      isFull: ({ tile }, { rows, claim }) => rows >= full || isFullRange(tile?.range, claim),
      narrower: (query, found) => made(narrowerRanges(axis, query.params, query.tile?.range, found, full)),
      bounded:
        axis.bounds === undefined
          ? undefined
          : (own, time) => made(boundedRanges(axis, own, full, time === undefined ? undefined : Math.max(0, axis.rowAt(time)!))),
      halved: ({ params: own, tile }) => made(halvedRanges(axis, own, tile?.range)),
      after: ({ params: own, tile }, found) => (tile?.range === undefined ? [] : made(nextRange(axis, own, tile.range, found))),
      placesOf({ tile }, rows) {
        const marks = rows.map((row) => rowMark(id, row));
        return rowPlaces(axis, tile?.range, rows, marks);
      },
    };
  },
};

/** Bounds in the type that the operation takes. */
function typed({ params }: Operation, query: QueryParams, bounds: readonly string[]): QueryParams {
  const texts = bounds.filter((bound) => params[bound]!.type === 'string' && ownValue(query, bound) !== undefined);
  return texts.length === 0 ? query : { ...query, ...Object.fromEntries(texts.map((bound) => [bound, textOfValue(query[bound])])) };
}

function isRange(by: string): boolean {
  return by === 'range' || by === 'dates';
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
    return {
      kind: 'values',
      ...wholeQueries(fullOf(stage, operation)),
      narrower: ({ params }, { data }) => inParams(narrow(params, { query: params, rows: [], pages: 0, data })),
    };
  },
};

/** Halves of the years, again and again. */
const yearKind: SplitKind<QuerySplit<'year'>> = {
  key: 'split',
  isAskedFor: ({ split }) => split !== undefined && split.values === undefined && !isRange(split.by),
  compile(stage, operation) {
    const { name, spec } = operation;
    const full = fullOf(stage, operation);
    if (stage.split!.by !== 'year' || spec.splits?.year === undefined) {
      const ways = ['values', "by: 'range'", "by: 'dates'", ...(spec.splits?.year === undefined ? [] : ["by: 'year'"])].join(', or ');
      const area = spec.splits?.area === undefined ? '' : useCover;
      throw new RangeError(`${name} can be split by ${ways}; give the values of '${stage.split!.by}'${area}`);
    }
    const narrow = byYear<QueryParams>();
    const factory = { name, splits: spec.splits };
    return {
      kind: 'year',
      ...wholeQueries(full),
      narrower: ({ params }) => inParams(narrow(params, { query: params, rows: [], pages: 0, factory })),
    };
  },
};

/** All ways past the cap of a search. */
const splitKinds = {
  area: areaKind,
  values: valuesKind,
  range: rangeKind,
  year: yearKind,
} satisfies { readonly [Kind in StageSplit['kind']]: SplitKind<Extract<StageSplit, { readonly kind: Kind }>> };

/** The one that a stage asks for. */
export function splitKindOf(stage: StageDefinition): SplitKind | undefined {
  return Object.values<SplitKind>(splitKinds).find(({ isAskedFor }) => isAskedFor(stage));
}
