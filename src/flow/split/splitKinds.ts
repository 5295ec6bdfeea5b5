import type { StageDefinition } from '../definition/flowFormat.ts';
import { areaKind } from './areaKind.ts';
import type { SplitKind } from './SplitKind.ts';
import type { StageSplit } from './StageSplit.ts';
import { valuesKind } from './valuesKind.ts';
import { yearKind } from './yearKind.ts';

/** All ways past the cap of a search. */
const splitKinds = {
  area: areaKind,
  values: valuesKind,
  year: yearKind,
} satisfies { readonly [Kind in StageSplit['kind']]: SplitKind<Extract<StageSplit, { readonly kind: Kind }>> };

/** The one that a stage asks for. */
export function splitKindOf(stage: StageDefinition): SplitKind | undefined {
  return Object.values<SplitKind>(splitKinds).find(({ isAskedFor }) => isAskedFor(stage));
}
