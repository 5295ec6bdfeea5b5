import { lastValueFrom, reduce } from 'rxjs';
import { boxOf } from '../../../operators/split/AreaPlan.ts';
import { AreaSearch } from '../../../operators/split/AreaSearch.ts';
import { layOut } from '../../../operators/split/layOut.ts';
import { writeView } from '../../../operators/split/viewText.ts';
import { walkPages } from '../../../operators/walk/walkPages.ts';
import type { PageFactory, PageLike } from '../../../operators/PageFactory.ts';
import type { FlowStage } from '../definition/Flow.ts';
import { factoryOf, type FlowClient } from '../run/FlowClient.ts';
import type { Found } from '../unit/Unit.ts';
import type { AreaSplit, TileState } from './StageSplit.ts';

/** What was learnt of a stage's searches. */
export type Learnt = Pick<TileState, 'across' | 'down' | 'cap'>;

/**
 * The first tiles of the areas of a root stage. `known` is what earlier tiles carry; without it, how far a search sees is
 * found out first, with a few dozen requests.
 */
export async function tilesOf(
  stage: FlowStage,
  split: AreaSplit,
  found: readonly Found[],
  client: FlowClient,
  known: Learnt | undefined,
): Promise<{ readonly found: readonly Found[]; readonly learnt: Learnt | undefined }> {
  let learnt = known;
  const tiles: Found[] = [];
  for (const root of found) {
    const area = split.areaOf(root.tile?.area);
    learnt ??= await learn(stage, split, root, client);
    const sight = { across: learnt.across!, down: learnt.down! };
    for (const tile of layOut(area, sight, split.zoom)) {
      if (!area.touches(boxOf(tile))) continue;
      const query = { ...root.query, [split.spec.param]: writeView(split.spec, tile) };
      tiles.push({ ...root, query, tile: { ...root.tile, ...learnt } });
    }
  }
  return { found: tiles, learnt };
}

async function learn(stage: FlowStage, split: AreaSplit, { query, tile }: Found, client: FlowClient): Promise<Learnt> {
  const { zoom, full, pageSize, spec } = split;
  const search = new AreaSearch<object>(split.areaOf(tile?.area), query, stage.operation.spec.id, spec, { zoom, full, pageSize }, false);
  const ask = factoryOf(client, stage);
  const { paging, listUndocumented, paginationError } = stage.factory;
  const factory: PageFactory<object, PageLike> = Object.assign((asked: object) => ask(asked, { label: stage.name }), {
    paging,
    listUndocumented,
    ...(paginationError === undefined ? {} : { paginationError }),
  });
  while (search.sight === undefined) {
    const look = search.next();
    if (look === undefined) break;
    const pages = walkPages(factory, look, { maxItems: search.cap });
    search.done(look, await lastValueFrom(pages.pipe(reduce((rows: unknown[], page) => [...rows, ...page.items], []))));
  }
  const { sight, cap } = search;
  return { across: Math.round(sight!.across), down: Math.round(sight!.down), ...(cap === Infinity ? {} : { cap }) };
}
