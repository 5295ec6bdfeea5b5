import type { RunRecord, LatencySummary } from './RunRecorder.ts';
import { countOf, formatCount, formatDuration, escapeHtml } from './format.ts';
import type { StageSeries } from '../../files/dataPackage.ts';

type Bucket = RunRecord['buckets'][number];

/** A bar of fewer requests jumps with each of them. But there are always this many bars, if there are as many buckets. */
const [requestsPerBar, fewestBars] = [16, 20];

/** Requests per second with those that failed and were retried and the learnt rate, and rows per second, from the start of the run to its end. */
export function drawTimes({ buckets, widthMs, startedAt }: RunRecord, endedAt: number): string {
  if (buckets.length === 0) return '<p class="mute">No request was sent in this run.</p>';
  const sent = buckets.reduce((sum, { requests }) => sum + requests, 0);
  const silent = Math.floor((endedAt - startedAt) / widthMs) - buckets.length; // the run ended later than the last event
  const count = buckets.length + Math.max(0, silent);
  const joined = Math.ceil(count / Math.max(fewestBars, sent / requestsPerBar));
  const bars = Math.ceil(count / joined);
  const edge = (at: number): number => Math.round((at * count) / bars);
  const all = Array.from({ length: bars }, (_, at) => joinedBuckets(buckets.slice(edge(at), edge(at + 1))));
  const perSecond = (events: number, at: number): number => (events * 1000) / (widthMs * (edge(at + 1) - edge(at)));
  const lengthMs = Math.max(count * widthMs, endedAt - startedAt);
  const ticks = timeTicks(lengthMs);
  const when = (index: number): string => (index === 0 ? 'from the start' : `after ${formatDuration(edge(index) * widthMs)}`);
  const retried = all.map((bucket, at) => perSecond(bucket?.retries ?? 0, at));
  const anyRetried = retried.some((count) => count > 0);
  const rates = all.map((bucket) => bucket?.rate);
  const requests = drawChart({
    title: 'Requests per second',
    unit: '/s',
    bars: [
      ...(anyRetried ? [{ label: 'retried', colour: 'c3', values: retried }] : []),
      {
        label: 'requests',
        colour: 'c1',
        values: all.map((bucket, at) => Math.max(0, perSecond(bucket?.requests ?? 0, at) - (retried[at] ?? 0))),
      },
    ],
    line: rates.some((rate) => rate !== undefined) ? { label: 'rate limit', colour: 'ink', values: rates } : undefined,
    ticks,
    notes: silences(all)
      .filter(([from, to]) => (edge(to) - edge(from)) * widthMs >= leastSilenceMs)
      .map(([from, to]) => ({
        at: (from + to) / 2 / bars,
        text: `no request for ${formatDuration((edge(to) - edge(from)) * widthMs)}`,
      })),
    say: (index) =>
      `${when(index)}: ${countOf(all[index]?.requests ?? 0, 'request')}${anyRetried ? `, ${formatCount(all[index]?.retries ?? 0)} retried` : ''}`,
  });
  const rows = drawChart({
    title: 'Rows per second',
    unit: '/s',
    bars: [{ label: 'rows', colour: 'c2', values: all.map((bucket, at) => perSecond(bucket?.rows ?? 0, at)) }],
    ticks,
    say: (index) => `${when(index)}: ${countOf(all[index]?.rows ?? 0, 'row')}`,
  });
  return `<div class="charts">${requests}${rows}</div>`;
}

const [leastSilence, leastSilenceMs] = [0.15, 5000]; // of the width, and long enough to be told

/** Where no request was sent for long: from a bar to before another. */
function silences(bars: readonly (Bucket | undefined)[]): readonly (readonly [from: number, to: number])[] {
  const busy = [-1, ...[...bars.keys()].filter((at) => (bars[at]?.requests ?? 0) > 0), bars.length];
  return busy.slice(1).map((to, at) => [busy[at]! + 1, to] as const).filter(([from, to]) => to - from >= leastSilence * bars.length); // prettier-ignore
}

/** What happened in neighbouring buckets, with the last rate. */
function joinedBuckets(buckets: readonly Bucket[]): Bucket | undefined {
  const sum = (count: 'requests' | 'retries' | 'rows'): number => buckets.reduce((total, bucket) => total + bucket[count], 0);
  const last = buckets.at(-1);
  return last && { ...last, requests: sum('requests'), retries: sum('retries'), rows: sum('rows') };
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const steps = [10, 20, 50, 100, 200, 500, ...[1, 2, 5, 10, 20, 30].map((n) => n * second), ...[1, 2, 5, 10, 20, 30].map((n) => n * minute)];

/** At most seven round times from 0 on. A last one too close to the end is left out. */
function timeTicks(lengthMs: number): readonly { readonly at: number; readonly text: string }[] {
  const step = steps.find((one) => lengthMs / one <= 6) ?? Math.ceil(lengthMs / 6 / hour) * hour;
  const count = Math.floor(lengthMs / step);
  return Array.from({ length: count + 1 }, (_, index) => ({
    at: (index * step) / lengthMs,
    text: index === 0 ? '0' : formatDuration(index * step).replace('.0 s', ' s'),
  }));
}

/** On the axis of bars whose edges grow by a constant ratio. */
const roundTimes = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000];

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
  const first = edges[0] ?? 1;
  const ticks = roundTimes.map((ms) => ({
    at: Math.log(ms / first) / Math.log(edges.at(-1)! / first),
    text: formatDuration(ms).replace('.0 s', ' s'),
  }));
  const chart = drawChart({
    title: 'Responses by the time they took',
    unit: 'responses',
    bars: [{ label: 'responses', colour: 'c1', values: bars.map((bar) => bar.count) }],
    ticks: ticks.filter(({ at }) => at >= 0 && at <= 1),
    say: (index) =>
      `${formatDuration(edges[index] ?? 0)} to ${formatDuration(edges[index + 1] ?? 0)}: ${formatCount(bars[index]?.count ?? 0)} responses`,
  });
  return `${tiles}${chart}`;
}

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

/** Figures with their names, as HTML. They stand in as many columns as leave the fewest places empty. */
export function figureTiles(pairs: readonly (readonly [string, string])[]): string {
  const by = [4, 5, 3].toSorted((one, other) => ((one - (pairs.length % one)) % one) - ((other - (pairs.length % other)) % other))[0];
  return `<dl class="tiles by${by}">${pairs.map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`).join('')}</dl>`;
}

/** A figure of a stage over its runs. */
export function drawSeries({ stage, about, points }: StageSeries): string {
  const dayOf = (index: number): string => points[index]?.seenAt.slice(0, 10) ?? '';
  const every = Math.ceil(points.length / 5);
  return drawChart({
    title: `${stage}: ${about}`,
    unit: '',
    bars: [{ label: about, colour: 'c2', values: points.map(({ value }) => value) }],
    ticks: points.flatMap((_, index) => (index % every === 0 ? [{ at: (index + 0.5) / points.length, text: dayOf(index) }] : [])),
    say: (index) => `${points[index]!.seenAt.replace('T', ' ').slice(0, 16)}: ${formatCount(points[index]!.value)}`,
  });
}
