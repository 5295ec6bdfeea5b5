import { noBounds } from '../../../operators/estimate/totalBound.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowSummary, NoEstimate, StageEstimate } from './FlowProgress.ts';
import { formatCount } from '../report/format.ts';
import type { FlowHistory } from '../state/FlowHistory.ts';

type Estimates = Pick<FlowSummary, 'estimates' | 'notEstimated'>;

/** The estimates of a run. An update, or a retry of failed queries, requests only a part of its rows and has none. */
export function estimatesOf(flow: Flow, { state, update }: Pick<FlowHistory, 'state' | 'update'>): Estimates {
  const estimates: StageEstimate[] = [];
  const notEstimated: NoEstimate[] = [];
  for (const { name, parents } of flow.stages) {
    const captures = state.captures.get(name);
    if (captures === undefined || update || state.isRetry) continue;
    const bound = captures.bound();
    if (typeof bound !== 'string') estimates.push({ stage: name, ...bound });
    else if (parents.length === 0 && state.counts.get(name)!.done > 1) notEstimated.push({ stage: name, because: noBounds[bound] });
  }
  return { ...(estimates.length === 0 ? {} : { estimates }), ...(notEstimated.length === 0 ? {} : { notEstimated }) };
}

/** `places: 2,140 rows found; at least 2,260 exist (95 %: 2,190 to 2,420), so at most 95 % are here.` */
export function describeEstimate({ stage, found, atLeast, low, high }: StageEstimate): string {
  const share = Math.floor((100 * found) / atLeast);
  return `${stage}: ${formatCount(found)} rows found; at least ${formatCount(atLeast)} exist (95 %: ${formatCount(low)} to ${formatCount(high)}), so at most ${share} % are here.`;
}
