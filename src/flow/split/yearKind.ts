import { byYear } from '../../../operators/split/byYear.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { fullOf } from './fullOf.ts';
import type { SplitKind } from './SplitKind.ts';
import type { YearSplit } from './StageSplit.ts';

/** Halves of the years, again and again. */
export const yearKind: SplitKind<YearSplit> = {
  key: 'split',
  isAskedFor: ({ split }) => split !== undefined && split.values === undefined,
  compile(stage, operation) {
    const { name, spec } = operation;
    const full = fullOf(stage, operation);
    if (stage.split!.by !== 'year' || spec.splits?.year === undefined) {
      const ways = spec.splits?.year === undefined ? 'values' : "values, or by: 'year'";
      throw new RangeError(`${name} can be split by ${ways}; give the values of '${stage.split!.by}'`);
    }
    const narrow = byYear<QueryParams>();
    const factory = { name, splits: spec.splits };
    return { kind: 'year', full, narrower: (query) => narrow(query, { query, rows: [], pages: 0, factory }) };
  },
};
