import type { RunRecord } from './ReportData.ts';
import { drawSeries } from './drawSeries.ts';
import { formatCount } from './formatCount.ts';
import { formatDuration } from './formatDuration.ts';

/** Requests with their 429s and the learnt rate, and rows, each a second, from the start of the run to its end. */
export function drawTimes({ buckets, widthMs, startedAt }: RunRecord, endedAt: number): string {
  if (buckets.length === 0) return '<p class="mute">Nothing was asked for in this run.</p>';
  const perSecond = (count: number): number => (count * 1000) / widthMs;
  const lengthMs = Math.max(buckets.length * widthMs, endedAt - startedAt);
  const silent = Math.floor(lengthMs / widthMs) - buckets.length; // it ended later than the last thing that happened
  const all = [...buckets, ...Array.from({ length: Math.max(0, silent) }, () => undefined)];
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => (share === 0 ? '0' : formatDuration(lengthMs * share)));
  const when = (index: number): string => (index === 0 ? 'from the start' : `after ${formatDuration(index * widthMs)}`);
  const throttled = all.map((bucket) => perSecond(bucket?.throttled ?? 0));
  const rates = all.map((bucket) => bucket?.rate);
  const requests = drawSeries({
    title: 'Requests a second',
    unit: '/s',
    bars: [
      { label: '429s', colour: 'c3', values: throttled },
      {
        label: 'requests',
        colour: 'c1',
        values: all.map((bucket, at) => Math.max(0, perSecond(bucket?.requests ?? 0) - (throttled[at] ?? 0))),
      },
    ],
    line: rates.some((rate) => rate !== undefined) ? { label: 'learnt rate', colour: 'c4', values: rates } : undefined,
    ticks,
    say: (index) =>
      `${when(index)}: ${formatCount(all[index]?.requests ?? 0)} requests, ${formatCount(all[index]?.throttled ?? 0)} answers of 429`,
  });
  const rows = drawSeries({
    title: 'Rows a second',
    unit: '/s',
    bars: [{ label: 'rows', colour: 'c2', values: all.map((bucket) => perSecond(bucket?.rows ?? 0)) }],
    ticks,
    say: (index) => `${when(index)}: ${formatCount(all[index]?.rows ?? 0)} rows`,
  });
  return `<div class="charts">${requests}${rows}</div>`;
}
