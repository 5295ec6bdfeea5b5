import type { StageDefinition } from '../definition/flowFormat.ts';
import { areaKind } from './kinds/areaKind.ts';
import { rangeKind } from './kinds/rangeKind.ts';
import type { SplitKind } from './kinds/SplitKind.ts';
import { valuesKind } from './kinds/valuesKind.ts';
import { yearKind } from './kinds/yearKind.ts';
import type { StageSplit } from './StageSplit.ts';

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
