import { describeMore, type StageCurve } from '../run/moreOf.ts';
import { drawChart } from './drawCharts.ts';
import { escapeHtml, formatCount } from './format.ts';

/** The curve of a stage's new rows by request, with what the next requests would bring. Empty if it has fewer than two requests. */
export function drawCurve({ more, curve }: StageCurve): string {
  const width = curve[0]?.requests ?? 0;
  const total = curve.reduce((sum, { requests }) => sum + requests, 0);
  if (total < 2) return '';
  const each = (name: 'added' | 'again'): readonly number[] => curve.map((part) => part[name] / part.requests);
  const chart = drawChart({
    title: `${more.stage}: rows a request`,
    unit: 'rows',
    bars: [
      { label: 'new', colour: 'c2', values: each('added') },
      { label: 'found before', colour: 'c5', values: each('again') },
    ],
    ticks: ticksOf(total, curve.length * width),
    say(index) {
      const { requests, added, again } = curve[index]!;
      const first = index * width + 1;
      const which =
        requests === 1 ? `request ${formatCount(first)}` : `requests ${formatCount(first)} to ${formatCount(first + requests - 1)}`;
      return `${which}: ${formatCount(added)} new rows, ${formatCount(again)} found before`;
    },
  });
  return `<div>${chart}<p class="mute">${escapeHtml(describeMore(more))}</p></div>`;
}

/** Numbers of requests below the axis, which has room for `room` of them. */
function ticksOf(total: number, room: number): readonly { readonly at: number; readonly text: string }[] {
  const power = 10 ** Math.floor(Math.log10(total));
  const step = [0.2, 0.5, 1, 2].map((one) => Math.max(1, one * power)).find((one) => total / one <= 6) ?? power;
  const count = Math.floor(total / step);
  return Array.from({ length: count + 1 }, (_, index) => ({ at: (index * step) / room, text: formatCount(index * step) }));
}
