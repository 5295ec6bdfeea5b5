import type { RunState } from '../api.ts';
import { figureTiles } from '../../flow/report/drawCharts.ts';
import { escapeHtml, formatCount, formatDuration, formatMoney } from '../../flow/report/format.ts';

/** The large figures of a run: what it did, what it may still cost, and how fast it is. */
export function figuresOf({ phase, startedAt, endedAt, breaksMs, requests, stages, live, left, price }: RunState): string {
  const sum = (pick: (stage: RunState['stages'][number]) => number): number => stages.reduce((total, stage) => total + pick(stage), 0);
  const figures: (readonly [string, string])[] = [
    ['Rows', formatCount(sum(({ rows }) => rows))],
    ['Requests', live?.maxRequests === undefined ? formatCount(requests) : `${formatCount(requests)} of ${formatCount(live.maxRequests)}`],
    ['Took', formatDuration(Math.max(0, endedAt - startedAt - breaksMs))],
    ...(breaksMs === 0 ? [] : [['Breaks', formatDuration(breaksMs)] as const]),
    ['Failed queries', formatCount(sum(({ failed }) => failed))],
  ];
  if (price !== undefined) figures.push(['Price so far', formatMoney(requests, price)]);
  if (left !== undefined) {
    const words = left.atLeast ? 'at least' : 'about';
    figures.push(['Requests left', left.requests === 0 ? '0' : `${words} ${formatCount(left.requests)}`]);
    if (price !== undefined) figures.push(['Price left', left.requests === 0 ? '0' : `${words} ${formatMoney(left.requests, price)}`]);
    if (phase === 'running') figures.push(['Time left', left.ms === undefined ? 'not known yet' : `${words} ${formatDuration(left.ms)}`]);
  }
  if (live !== undefined && phase === 'running') {
    const { stats, perSecond } = live;
    figures.push(
      ['Requests per second', formatCount(perSecond)],
      ['Rate limit', stats.rate === undefined ? 'none so far' : `${formatCount(stats.rate)} per second`],
      ...stats.failedAttempts.map(({ because, count }) => [`Got ${escapeHtml(because)}`, formatCount(count)] as const),
      ['In flight', formatCount(stats.inFlight)],
    );
  }
  return figureTiles(figures);
}
