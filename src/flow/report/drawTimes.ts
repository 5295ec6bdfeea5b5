import type { RunRecord } from './ReportData.ts';
import { drawChart } from './drawChart.ts';
import { formatCount, formatDuration } from './format.ts';

/** Requests per second with their 429s and the learnt rate, and rows per second, from the start of the run to its end. */
export function drawTimes({ buckets, widthMs, startedAt }: RunRecord, endedAt: number): string {
  if (buckets.length === 0) return '<p class="mute">No request was sent in this run.</p>';
  const perSecond = (count: number): number => (count * 1000) / widthMs;
  const lengthMs = Math.max(buckets.length * widthMs, endedAt - startedAt);
  const silent = Math.floor(lengthMs / widthMs) - buckets.length; // the run ended later than the last event
  const all = [...buckets, ...Array.from({ length: Math.max(0, silent) }, () => undefined)];
  const ticks = ticksOf(lengthMs);
  const when = (index: number): string => (index === 0 ? 'from the start' : `after ${formatDuration(index * widthMs)}`);
  const throttled = all.map((bucket) => perSecond(bucket?.throttled ?? 0));
  const rates = all.map((bucket) => bucket?.rate);
  const requests = drawChart({
    title: 'Requests per second',
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
      `${when(index)}: ${formatCount(all[index]?.requests ?? 0)} requests, ${formatCount(all[index]?.throttled ?? 0)} 429 responses`,
  });
  const rows = drawChart({
    title: 'Rows per second',
    unit: '/s',
    bars: [{ label: 'rows', colour: 'c2', values: all.map((bucket) => perSecond(bucket?.rows ?? 0)) }],
    ticks,
    say: (index) => `${when(index)}: ${formatCount(all[index]?.rows ?? 0)} rows`,
  });
  return `<div class="charts">${requests}${rows}</div>`;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const steps = [10, 20, 50, 100, 200, 500, ...[1, 2, 5, 10, 20, 30].map((n) => n * second), ...[1, 2, 5, 10, 20, 30].map((n) => n * minute)];

/** At most seven round times from 0 on. A last one too close to the end is left out. */
function ticksOf(lengthMs: number): readonly { readonly at: number; readonly text: string }[] {
  const step = steps.find((one) => lengthMs / one <= 6) ?? Math.ceil(lengthMs / 6 / hour) * hour;
  const count = Math.floor(lengthMs / step);
  return Array.from({ length: count + 1 }, (_, index) => ({
    at: (index * step) / lengthMs,
    text: index === 0 ? '0' : formatDuration(index * step).replace('.0 s', ' s'),
  }));
}
