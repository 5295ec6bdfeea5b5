import { describeMore, type StageCurve } from '../run/moreOf.ts';
import { drawChart } from './drawCharts.ts';
import { countOf, escapeHtml, formatCount } from './format.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import type { CurvesByQuery, QueryCurve } from '../state/QueryCurves.ts';

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

/**
 * What the queries of a stage brought, each with a small picture of its requests: those with the most new rows, and those with the
 * fewest. All pictures have the same scale. Empty if there is only one query.
 */
export function drawQueries(stage: string, { queries, idle, most, least }: CurvesByQuery): string {
  const shown = [...most, ...least];
  if (queries < 2 || shown.length === 0) return '';
  const names = namesOf(shown.map(({ params }) => params));
  const top = Math.max(1, ...shown.flatMap(({ parts }) => parts.map(({ requests, added, again }) => (added + again) / requests)));
  const width = Math.max(...shown.map(({ requests }) => requests));
  const lines = shown.map((curve, index) => {
    const { requests, added, again } = curve;
    const divided = index === most.length ? ' class="cut"' : '';
    return `<tr${divided}><th scope="row"><bdi>${escapeHtml(names[index]!)}</bdi></th><td>${drawParts(curve, top, width)}</td>${[requests, added, again].map((count) => `<td class="n">${formatCount(count)}</td>`).join('')}</tr>`;
  });
  const left = queries - shown.length;
  const others = left > 0 ? ` The other ${formatCount(left)} are in between.` : '';
  const without = idle === 0 ? '' : ` ${formatCount(idle)} brought no new row.`;
  const about = `${formatCount(queries)} queries.${least.length === 0 ? '' : ' First those with the most new rows, then those with the smallest share of them.'}${others}${without}`;
  const heads = ['requests', 'new rows', 'found before'].map((head) => `<th scope="col" class="n">${head}</th>`);
  return `<p class="of-queries"><b>${escapeHtml(stage)}: new rows by query</b> <span class="mute">${about}</span></p><div class="scroll queries" tabindex="0"><table aria-label="${escapeHtml(stage)}: new rows by query"><thead><tr><th scope="col">query</th><th scope="col">its requests: <span class="c2">new</span>, found before</th>${heads.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table></div>`;
}

const height = 26;
const maxWidth = 240;

/** A bar for each request, as wide as its share of the longest query. */
function drawParts({ parts, requests }: QueryCurve, top: number, longest: number): string {
  const all = parts[0]!.requests * parts.length;
  const bars = parts.map(({ requests: count, added, again }, index) => {
    const [high, low] = [(added / count / top) * height, (again / count / top) * height];
    const say = `${formatCount(added)} new rows, ${formatCount(again)} found before`;
    const bar = (colour: string, y: number, size: number): string =>
      size === 0 ? '' : `<rect class="${colour}" x="${index + 0.08}" y="${y.toFixed(1)}" width=".84" height="${size.toFixed(1)}"/>`;
    return `<g><title>${escapeHtml(say)}</title>${bar('c2', height - high, high)}${bar('c5', height - high - low, low)}</g>`;
  });
  const pixels = Math.max(6, Math.round((maxWidth * all) / Math.max(longest, 8)));
  return `<svg viewBox="0 0 ${parts.length} ${height}" width="${pixels}" preserveAspectRatio="none" role="img" aria-label="${countOf(requests, 'request')}">${bars.join('')}</svg>`;
}

/** What tells queries apart: the parameters that aren't the same in all of them. */
function namesOf(all: readonly QueryParams[]): readonly string[] {
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
  const params = [...new Set(all.flatMap((query) => Object.keys(query)))];
  const other = params.filter((param) => all.some((query) => !isDeepStrictEqual(query[param], all[0]![param])));
  return all.map((query) => {
    const texts = (other.length === 0 ? params : other).flatMap((param) => {
      const value = query[param];
      if (value === undefined) return [];
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [other.length === 1 ? text : `${param}: ${text}`];
    });
    return texts.join(', ').slice(0, maxChars) || 'without it';
  });
}

const maxChars = 120;
