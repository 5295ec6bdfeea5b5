import { textOfValue } from '../../../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../../../operators/kit/ownValue.ts';
import { dateAxis, rangeAxis } from '../../../../operators/split/byRange.ts';
import { isFullRange, narrowerRanges, nextRange, rowPlaces, type RangeQuery } from '../../../../operators/split/RangeAxis.ts';
import { rowMark } from '../../../../operators/walk/markOf.ts';
import { checkQuery, nearestName, type Operation } from '../../../contract/index.ts';
import type { QueryParams } from '../../definition/flowFormat.ts';
import type { QuerySplit, SplitQuery } from '../StageSplit.ts';
import type { SplitKind } from './SplitKind.ts';
import { fullOf } from './wholeQueries.ts';

/** Pieces of a range of numbers or days. */
export const rangeKind: SplitKind<QuerySplit<'range'>> = {
  key: 'split',
  isAskedFor: ({ split }) => split !== undefined && split.values === undefined && isRange(split.by),
  fault({ split, with: given }) {
    const both = split!.params?.filter((param) => ownValue(given, param) !== undefined) ?? [];
    return both.length === 2 ? { message: `leave ${both.join(' and ')} out of with: each piece has its own` } : undefined;
  },
  compile(stage, operation) {
    const { by, params, from, to, step, as, upper } = stage.split!;
    if (params === undefined || from === undefined) throw new RangeError(`${by} needs params (the names of two parameters) and from`);
    for (const param of params) {
      if (Object.hasOwn(operation.params, param)) continue;
      const near = nearestName(param, Object.keys(operation.params));
      throw new RangeError(`${operation.name} has no parameter '${param}'${near === undefined ? '' : `; did you mean '${near}'?`}`);
    }
    const pair = [params[0]!, params[1]!] as const;
    const axis =
      by === 'dates'
        ? dateAxis({ params: pair, from: String(from), to: to === undefined ? undefined : String(to), as, upper })
        : rangeAxis({ params: pair, from: from as number, to: to as number, step, upper });
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

export function isRange(by: string): boolean {
  return by === 'range' || by === 'dates';
}
