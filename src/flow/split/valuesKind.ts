import { byValues } from '../../../operators/split/byValues.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { fullOf } from './fullOf.ts';
import type { SplitKind } from './SplitKind.ts';
import type { ValuesSplit } from './StageSplit.ts';

/** A narrower query for each value of a parameter. */
export const valuesKind: SplitKind<ValuesSplit> = {
  key: 'split',
  isAskedFor: ({ split }) => split?.values !== undefined,
  compile(stage, operation) {
    const { by, values = [] } = stage.split!;
    const narrow = byValues<QueryParams>(by, values);
    return { kind: 'values', full: fullOf(stage, operation), narrower: (query) => narrow(query, { query, rows: [], pages: 0 }) };
  },
};
