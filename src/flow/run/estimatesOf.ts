import { noBounds, totalBound, type NoBound, type TotalBound } from '../../../operators/estimate/totalBound.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowSummary, NoEstimate, StageEstimate } from './FlowProgress.ts';
import { formatCount } from '../report/format.ts';
import type { ReplayedRun } from '../state/ReplayedRun.ts';
import type { Repeated } from '../core/events.ts';
import { requestsAll } from '../update/requestsAll.ts';

type Estimates = Pick<FlowSummary, 'estimates' | 'notEstimated'>;

/** Between runs that are further apart, rows come and go. Those look like unseen ones. */
const maxApartMs = 24 * 3_600_000;

/**
 * The estimates of a run. A retry of failed queries, and what an update requests only in part, have none. Where the queries of an
 * update share too few rows, its rows are compared with those of the runs before it.
 */
export function estimatesOf(flow: Flow, { state, update, repeated }: Pick<ReplayedRun, 'state' | 'update' | 'repeated'>): Estimates {
  const estimates: StageEstimate[] = [];
  const notEstimated: NoEstimate[] = [];
  for (const stage of flow.stages) {
    const { name, parents } = stage;
    if (state.isRetry || (update && !requestsAll(stage, flow))) continue;
    // Seeds look for other rows each, unless the flow says what they have in common.
    const own = stage.seeds !== undefined && stage.by.length === 0 ? undefined : state.sightings.get(name)?.bound();
    // With the same limit, two runs find the same first rows.
    const isCapped =
      state.queries.counts.get(name)!.capped > 0 && (stage.walk.maxPages !== undefined || stage.definition.limit !== undefined);
    const runs = Object.hasOwn(repeated, name) && !isCapped ? runsBound(repeated[name]!) : undefined;
    const isRoot = parents.length === 0;
    if (own !== undefined && typeof own !== 'string') estimates.push({ stage: name, ...own });
    else if (runs !== undefined && typeof runs !== 'string') estimates.push({ stage: name, ...runs, runs: 2 });
    else if (isRoot && own !== undefined && state.queries.counts.get(name)!.done > 1)
      notEstimated.push({ stage: name, because: noBounds[own] });
    else if (isRoot && runs !== undefined) notEstimated.push({ stage: name, because: runs });
  }
  return { ...(estimates.length === 0 ? {} : { estimates }), ...(notEstimated.length === 0 ? {} : { notEstimated }) };
}

/** Two runs are like two queries. Returns why nothing can be said otherwise, or nothing where nobody expects it. */
function runsBound({ before, after, both, apartMs }: Repeated): TotalBound | string | undefined {
  // That two runs found the same rows says nothing of others.
  if (apartMs > maxApartMs || before + after === 0) return undefined;
  const alone = [before, after] as const;
  const bound: TotalBound | NoBound = totalBound({ found: before + after + both, alone, pairs: [{ both, alone }] });
  return typeof bound === 'string' ? 'two runs have too few rows in common' : bound;
}

/**
 * `places: 2,140 rows found; at least 2,260 exist (95 %: 2,190 to 2,420), so at most 95 % are here.` Where the bound is what was found,
 * it says nothing of the rest.
 */
export function describeEstimate({ stage, found, atLeast, low, high, runs }: StageEstimate): string {
  const where = runs === undefined ? '' : ' in two runs';
  if (atLeast <= found) {
    const upTo = high > found ? ` (95 %: up to ${formatCount(high)})` : '';
    return `${stage}: ${formatCount(found)} rows found${where}. Nothing points to more${upTo}, but rows that no query can reach don't show.`;
  }
  const share = Math.floor((100 * found) / atLeast);
  const end =
    runs === undefined ? `so at most ${share} % are here` : `so at most ${share} % were found, unless rows came or went in between`;
  return `${stage}: ${formatCount(found)} rows found${where}; at least ${formatCount(atLeast)} exist (95 %: ${formatCount(low)} to ${formatCount(high)}), ${end}.`;
}
