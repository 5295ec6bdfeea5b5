import type { LatencySummary } from './LatencyHistogram.ts';
import { drawSeries } from './drawSeries.ts';
import { formatCount } from './formatCount.ts';
import { formatDuration } from './formatDuration.ts';

/** How long answers took: the quantiles, and how many took how long. */
export function drawLatency({ count, p50, p90, p99, maxMs, bars }: LatencySummary): string {
  if (count === 0) return '<p class="mute">No answer came in this run.</p>';
  const tiles = [
    ['half within', p50],
    ['90 % within', p90],
    ['99 % within', p99],
    ['longest', maxMs],
  ] as const;
  const padded = [...bars];
  while (padded.length % 4 > 0) {
    const fromMs = padded.at(-1)?.toMs ?? 1;
    padded.push({ fromMs, toMs: fromMs * Math.SQRT2, count: 0 });
  }
  const edges = [padded[0]?.fromMs ?? 0, ...padded.map((bar) => bar.toMs)];
  const chart = drawSeries({
    title: 'Answers by the time they took',
    unit: 'answers',
    bars: [{ label: 'answers', colour: 'c1', values: padded.map((bar) => bar.count) }],
    ticks: [0, 1, 2, 3, 4].map((tick) => formatDuration(edges[(tick * padded.length) / 4] ?? 0)),
    say: (index) =>
      `${formatDuration(edges[index] ?? 0)} to ${formatDuration(edges[index + 1] ?? 0)}: ${formatCount(padded[index]?.count ?? 0)} answers`,
  });
  const list = tiles.map(([term, ms]) => `<div><dt>${term}</dt><dd>${formatDuration(ms)}</dd></div>`).join('');
  return `<dl class="tiles">${list}</dl><p></p>${chart}`;
}
