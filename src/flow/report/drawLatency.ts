import { drawChart } from './drawChart.ts';
import { figureTiles } from './figureTiles.ts';
import { formatCount, formatDuration } from './format.ts';
import type { LatencySummary } from './LatencyHistogram.ts';

/** Response times: the quantiles and a histogram. */
export function drawLatency({ count, p50, p90, p99, maxMs, bars }: LatencySummary): string {
  if (count === 0) return '<p class="mute">No response arrived in this run.</p>';
  const tiles = figureTiles([
    ['half within', formatDuration(p50)],
    ['90 % within', formatDuration(p90)],
    ['99 % within', formatDuration(p99)],
    ['longest', formatDuration(maxMs)],
  ]);
  const edges = [bars[0]?.fromMs ?? 0, ...bars.map((bar) => bar.toMs)];
  const every = Math.ceil(edges.length / 5);
  const chart = drawChart({
    title: 'Responses by the time they took',
    unit: 'responses',
    bars: [{ label: 'responses', colour: 'c1', values: bars.map((bar) => bar.count) }],
    ticks: edges.flatMap((ms, index) => (index % every === 0 ? [{ at: index / bars.length, text: formatDuration(ms) }] : [])),
    say: (index) =>
      `${formatDuration(edges[index] ?? 0)} to ${formatDuration(edges[index + 1] ?? 0)}: ${formatCount(bars[index]?.count ?? 0)} responses`,
  });
  return `${tiles}<p></p>${chart}`;
}
