import { byValues } from '../../../../operators/split/byValues.ts';
import type { QueryParams } from '../../definition/flowFormat.ts';
import type { QuerySplit } from '../StageSplit.ts';
import type { SplitKind } from './SplitKind.ts';
import { fullOf, inParams, wholeQueries } from './wholeQueries.ts';

/** A narrower query for each value of a parameter. */
export const valuesKind: SplitKind<QuerySplit<'values'>> = {
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
