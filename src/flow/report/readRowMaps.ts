import { madeIn } from '../../../operators/kit/once.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { QueriesView } from '../core/Queries.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import { bindQueries, keptColumns } from '../query/bindQueries.ts';
import { pointColumns } from '../split/gridParam.ts';
import { rowSource } from '../state/FlowFiles.ts';
import { type ReadFolder, readRows } from '../state/readRows.ts';

/** Rows on a map, coloured and labelled by a column. */
export interface RowMap {
  readonly title: string;
  /** The column. */
  readonly by: string;
  /** null: nothing was found there. */
  readonly points: readonly { readonly latitude: number; readonly longitude: number; readonly value: string | null }[];
}

/** More maps than these are not drawn. */
const mostMaps = 12;

/** The rows of stages with a grid as maps: one for each search, with the best rank at each point. Of a series, only the last run counts. */
export async function readRowMaps(
  flow: Flow,
  folder: ReadFolder,
  { failed, open }: Pick<QueriesView, 'failed' | 'open'>,
): Promise<readonly RowMap[]> {
  const all: RowMap[] = [];
  for (const stage of flow.stages) {
    if (stage.grid === undefined || stage.outputs.length === 0) continue;
    const searches = new Map<string, Map<string, RowMap['points'][number]>>();
    const add = (kept: object, value: number | undefined): void => {
      const [latitude, longitude] = pointColumns.map((column) => ownValue(kept, column));
      if (typeof latitude !== 'number' || typeof longitude !== 'number') return;
      const points = madeIn(searches, searchOf(stage, kept), () => new Map());
      const before = points.get(`${latitude} ${longitude}`)?.value ?? undefined;
      const best = Math.min(value ?? Infinity, before === undefined ? Infinity : Number(before));
      points.set(`${latitude} ${longitude}`, { latitude, longitude, value: best === Infinity ? null : String(best) });
    };
    const unknown = new Set([...Array.from(failed.values(), ({ query }) => query), ...open.values()].filter((query) => query.stage === stage.name).map(({ kept }) => JSON.stringify(kept))); // prettier-ignore
    for (const params of stage.parents.length === 0 && stage.seeds === undefined ? bindQueries(stage, {}) : []) {
      const kept = keptColumns(stage, {}, params)!;
      if (!unknown.has(JSON.stringify(kept))) add(kept, undefined);
    }
    let rows: (readonly [row: object, value: number])[] = [];
    let last: unknown;
    let by = '';
    for await (const { row } of readRows(folder, rowSource(flow, stage)!)) {
      const seenAt = stage.series ? ownValue(row, 'seen_at') : undefined;
      if (seenAt !== last) rows = [];
      last = seenAt;
      const rank = ['rank', 'position'].find((field) => typeof ownValue(row, field) === 'number');
      if (rank === undefined) continue;
      by = rank;
      rows.push([Object.fromEntries(stage.keep.map(([column]) => [column, ownValue(row, column)])), ownValue(row, rank) as number]);
    }
    for (const [kept, value] of rows) add(kept, value);
    for (const [search, points] of [...searches].slice(0, mostMaps))
      if (by !== '') all.push({ title: search === '' ? stage.name : `${stage.name}, ${search}`, by, points: [...points.values()] });
  }
  return all;
}

/** What tells one search from another: the other columns that its queries keep. */
function searchOf({ keep }: FlowStage, kept: object): string {
  const others = keep.map(([column]) => column).filter((column) => !(pointColumns as readonly string[]).includes(column));
  return others.map((column) => String(ownValue(kept, column))).join(', ');
}
