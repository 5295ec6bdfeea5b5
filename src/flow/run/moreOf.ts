import { noNextRows, type NextRows } from '../../../operators/estimate/nextRows.ts';
import type { Flow } from '../definition/Flow.ts';
import { countOf, formatCount } from '../report/format.ts';
import type { ReplayedRun } from '../state/ReplayedRun.ts';
import type { CurvePart } from '../core/RowSightings.ts';
import { requestsAll } from '../update/requestsAll.ts';

/** What the next requests of a stage would bring, or why nobody can say. */
export type StageMore = { readonly stage: string } & (({ readonly requests: number } & NextRows) | { readonly because: string });

/** … with how many rows its requests brought so far. */
export interface StageCurve {
  readonly more: StageMore;
  readonly curve: readonly CurvePart[];
}

const noMore = {
  ...noNextRows,
  divided: 'its queries divide the rows, so there are no more of them',
  none: 'no request has brought a page',
} as const;

/** The requests to look ahead, but never more than there were. Further away, nothing is known. */
const wanted = 100;

/** What the next requests of each stage would bring. Where rows aren't compared with earlier ones there is nothing. */
export function moreOf(flow: Flow, { state, update }: Pick<ReplayedRun, 'state' | 'update'>): readonly StageCurve[] {
  if (state.isRetry) return [];
  const stages = update ? flow.stages.filter((stage) => requestsAll(stage, flow)) : flow.stages;
  return stages.flatMap(({ name: stage }) => {
    const sightings = state.sightings.get(stage);
    if (sightings === undefined) return [];
    const curve = sightings.curve.parts;
    const { pages, done: queries } = state.queries.counts.get(stage)!;
    const requests = Math.min(wanted, pages);
    const next = pages === 0 ? 'none' : sightings.next({ queries, times: requests / pages });
    return [{ more: typeof next === 'string' ? { stage, because: noMore[next] } : { stage, requests, ...next }, curve }];
  });
}

/** `places: another 100 requests would bring about 40 rows (18 to 70).` */
export function describeMore(more: StageMore): string {
  if ('because' in more) return `${more.stage}: what more requests would bring can't be estimated: ${more.because}.`;
  const { stage, requests, about, low, high } = more;
  return `${stage}: another ${requests === 1 ? 'request' : `${formatCount(requests)} requests`} would bring about ${countOf(about, 'row')} (${formatCount(low)} to ${formatCount(high)}).`;
}
