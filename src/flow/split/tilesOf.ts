import { boxOf } from '../../../operators/split/AreaPlan.ts';
import { layOut } from '../../../operators/split/layOut.ts';
import { writeView } from '../../../operators/split/viewText.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { FoundQuery } from '../query/StageQuery.ts';
import { learnSight, type LearnOptions, type Learnt } from './learnSight.ts';
import type { AreaSplit } from './StageSplit.ts';

/**
 * The first tiles of the areas of a root stage. `known` is what earlier tiles know about the view of a search. Without it,
 * the view is found out first.
 */
export async function tilesOf(
  stage: FlowStage,
  split: AreaSplit,
  found: readonly FoundQuery[],
  learning: LearnOptions,
  known: Learnt | undefined,
): Promise<{ readonly found: readonly FoundQuery[]; readonly learnt: Learnt | undefined }> {
  let learnt = known;
  const tiles: FoundQuery[] = [];
  for (const root of found) {
    const area = split.areaOf(root.tile?.area);
    learnt ??= await learnSight(stage, split, root, learning);
    const sight = { across: learnt.across!, down: learnt.down! };
    for (const tile of layOut(area, sight, split.zoom)) {
      if (!area.touches(boxOf(tile))) continue;
      const params = { ...root.params, [split.spec.param]: writeView(split.spec, tile) };
      tiles.push({ ...root, params, tile: { ...root.tile, ...learnt } });
    }
  }
  return { found: tiles, learnt };
}
