import { drawRowMap } from './drawMap.ts';
import { escapeHtml, formatCount, formatSum, scrolled } from './format.ts';
import type { Headline, HeadlineSeries, HeadlineTable } from './readHeadlines.ts';

export const seriesStyle = `
.lines{display:block;width:100%;background:var(--card)}
.lines path{fill:none;stroke:currentColor;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}
.lines .grid{stroke:var(--line);stroke-width:1}.lines text{font:12px ui-sans-serif,system-ui,sans-serif;fill:var(--mute)}
.lines .dashed{stroke-dasharray:7 5}
@media (max-width:640px){.lines text{font-size:26px}.lines path{stroke-width:4}}`;

/** What a flow's headlines say, as HTML. '' if there are none. */
export function drawHeadlines(all: readonly Headline[]): string {
  return all.map((one) => (one.kind === 'table' ? drawTable(one) : one.kind === 'series' ? drawSeries(one) : drawRowMap(one))).join('\n');
}

function drawTable({ title, columns, figures, rows, more }: HeadlineTable): string {
  const isFigure = (at: number): string => (at >= columns.length - figures ? ' class="n"' : '');
  const head = columns.map((name, at) => `<th scope="col"${isFigure(at)}>${escapeHtml(name)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell, at) => `<td${isFigure(at)}>${cellHtml(cell)}</td>`).join('')}</tr>`);
  const rest = more === 0 ? '' : `<p class="mute">and ${formatCount(more)} more</p>`;
  if (rows.length === 0) return `<h3>${escapeHtml(title)}</h3>`;
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
  return `<h3>${escapeHtml(title)}</h3>${scrolled(table, title)}${rest}`;
}

/** A cell that isn't too long. A time stands to the minute, in one piece. */
function cellHtml(cell: string): string {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/.exec(cell) ?? [];
  return day === undefined ? `<bdi>${escapeHtml(cell.slice(0, 300))}</bdi>` : `<span class="nowrap">${day} ${minute}</span>`;
}

const [width, height, left, right, top, bottom] = [1000, 320, 70, 20, 16, 30];
const colours = 5;

/** A line for each name, with a few values of `over` below and numbers at the side. */
function drawSeries({ title, over, lines, more }: HeadlineSeries): string {
  const values = lines.flatMap(({ values }) => values.filter((value) => value !== null));
  if (values.length === 0) return `<h3>${escapeHtml(title)}</h3><p class="mute">No numbers yet.</p>`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = most === least ? Math.max(1, Math.abs(most) * 0.1) : (most - least) * 0.08;
  const [low, high] = [least - margin, most + margin];
  const x = (at: number): number => left + (over.length < 2 ? 0.5 : at / (over.length - 1)) * (width - left - right);
  const y = (value: number): number => top + ((high - value) / (high - low)) * (height - top - bottom);
  const paths = lines.map(({ name, values }, nth) => {
    const parts = values.map((value, at) => {
      if (value === null) return '';
      const isAlone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
      return `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}${isAlone ? 'h.1' : ''}`;
    });
    return `<path class="${lineClass(nth)}" d="${parts.join('')}"><title>${escapeHtml(name)}</title></path>`;
  });
  const rules = [least, (least + most) / 2, most].filter((value, at, all) => all.indexOf(value) === at);
  const grid = rules.map(
    (value) =>
      `<path class="grid" d="M${left} ${y(value).toFixed(1)}H${width - right}"/><text x="${left - 8}" y="${(y(value) + 4).toFixed(1)}" ` +
      `text-anchor="end">${formatSum(value, 0, 2)}</text>`,
  );
  const named = [...new Set([0, Math.floor((over.length - 1) / 2), over.length - 1])];
  const ticks = named.map(
    (at) =>
      `<text x="${x(at).toFixed(1)}" y="${height - 8}" ` +
      `text-anchor="${named.length === 1 ? 'middle' : at === 0 ? 'start' : at === over.length - 1 ? 'end' : 'middle'}">` +
      `${escapeHtml(tickText(over[at]!))}</text>`,
  );
  const keys = lines.map(
    ({ name, values }, nth) =>
      `<span class="key ${lineClass(nth)}"><i class="stroke"></i><span ` +
      `class="ink"><bdi>${escapeHtml(name)}</bdi>${rangeOf(values)}</span></span>`,
  );
  const rest = more === 0 ? '' : `<span>and ${formatCount(more)} more</span>`;
  return (
    `<h3>${escapeHtml(title)}</h3><figure class="drawing"><figcaption class="mute">${keys.join('')}${rest}</figcaption><svg ` +
    `class="lines" role="img" aria-label="${escapeHtml(title)}" viewBox="0 0 ${width} ` +
    `${height}">${grid.join('')}${paths.join('')}${ticks.join('')}</svg></figure>`
  );
}

function lineClass(nth: number): string {
  return `c${(nth % colours) + 1}${nth < colours ? '' : ' dashed'}`;
}

function tickText(text: string): string {
  return /^\d{4}-\d\d-\d\dT/.test(text) ? text.slice(0, 16).replace('T', ' ') : text.slice(0, 24);
}

/** From the least to the most, or the one number that there is. */
function rangeOf(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  return `: ${least === most ? formatSum(least, 0, 2) : `${formatSum(least, 0, 2)} to ${formatSum(most, 0, 2)}`}`;
}
