import { byYear } from '../../../../operators/split/byYear.ts';
import type { QueryParams } from '../../definition/flowFormat.ts';
import { useCover } from '../../definition/flowKeys.ts';
import type { QuerySplit } from '../StageSplit.ts';
import { isRange } from './rangeKind.ts';
import type { SplitKind } from './SplitKind.ts';
import { fullOf, inParams, wholeQueries } from './wholeQueries.ts';

/** Halves of the years, again and again. */
export const yearKind: SplitKind<QuerySplit<'year'>> = {
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
