import { escapeHtml, formatCount } from './format.ts';

/** A chart of stacked bars, with an optional line over them. */
interface ChartOptions {
  readonly title: string;
  /** The unit of the vertical axis. */
  readonly unit: string;
  /** From the bottom up, each with the name of its colour. All `values` have the same length. */
  readonly bars: readonly { readonly label: string; readonly colour: string; readonly values: readonly number[] }[];
  readonly line?: { readonly label: string; readonly colour: string; readonly values: readonly (number | undefined)[] } | undefined;
  /** Labels below the horizontal axis, each at its share of the width. */
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  /** Words in the chart, each in the middle of what it is about, as a share of the width. */
  readonly notes?: readonly { readonly at: number; readonly text: string }[];
  /** The tooltip of a bar. */
  readonly say: (index: number) => string;
}

const height = 100;

/** Draws a chart whose bars stretch with the page while its text keeps its size. Text is HTML, bars are SVG. */
export function drawChart({ title, unit, bars, line, ticks, notes = [], say }: ChartOptions): string {
  const count = bars[0]?.values.length ?? 0;
  const totals = Array.from({ length: count }, (_, index) => bars.reduce((sum, bar) => sum + (bar.values[index] ?? 0), 0));
  const top = niceTop(Math.max(0, ...totals));
  const columns = totals.map((_, index) => {
    let y = height;
    const parts = bars.map((bar) => {
      const size = ((bar.values[index] ?? 0) / top) * height;
      y -= size;
      return size === 0 ? '' : `<rect class="${bar.colour}" x="${index + 0.08}" y="${round(y)}" width=".84" height="${round(size)}"/>`;
    });
    return `<g><title>${escapeHtml(say(index))}</title><rect class="hit" x="${index}" y="0" width="1" height="${height}"/>${parts.join('')}</g>`;
  });
  const legend = [...bars, ...(line === undefined ? [] : [line])].map(
    (one) => `<span><i class="${one.colour}${one === line ? ' stroke' : ''}"></i>${escapeHtml(one.label)}</span>`,
  );
  return `<figure class="chart"><figcaption><b>${escapeHtml(title)}</b>${legend.length > 1 ? legend.join('') : ''}</figcaption>
<div class="y"><span>${formatCount(top)} ${escapeHtml(unit)}</span><span>${formatCount(top / 2)}</span><span>0</span></div>
<svg viewBox="0 0 ${Math.max(1, count)} ${height}" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(title)}"><path class="grid" d="M0 0H${count}M0 ${height / 2}H${count}M0 ${height}H${count}"/>${columns.join('')}${line === undefined ? '' : drawLine(line, top)}</svg>${notes.map(drawNote).join('')}
<svg class="x" height="16" aria-hidden="true">${ticks.map(drawTick).join('')}</svg></figure>`;
}

/** A line of steps with gaps where nothing is known. Values above the chart run along its top. */
function drawLine(line: NonNullable<ChartOptions['line']>, top: number): string {
  let d = '';
  let open = false;
  for (const [index, value] of line.values.entries()) {
    if (value !== undefined) d += `${open ? 'L' : 'M'}${index} ${round(height - (Math.min(value, top) / top) * height)}h1`;
    open = value !== undefined;
  }
  return d === '' ? '' : `<path class="line ${line.colour}" d="${d}"/>`;
}

function drawNote({ at, text }: ChartOptions['ticks'][number]): string {
  return `<svg class="note" aria-hidden="true"><text x="${round(at * 100)}%" y="55%" text-anchor="middle">${escapeHtml(text)}</text></svg>`;
}

/** Every other label is left out on a phone. */
function drawTick({ at, text }: ChartOptions['ticks'][number], index: number): string {
  const anchor = at < 0.02 ? 'start' : at > 0.98 ? 'end' : 'middle';
  return `<text${index % 2 === 1 ? ' class="odd"' : ''} x="${round(at * 100)}%" y="12" text-anchor="${anchor}">${escapeHtml(text)}</text>`;
}

/** The smallest round number from `value` on whose half is round too. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value) as number) * power;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
