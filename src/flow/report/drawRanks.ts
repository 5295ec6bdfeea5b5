import { mapX, mapY } from '../../../operators/split/Area.ts';
import { boxOfPoints, drawScale, widened } from './drawMap.ts';
import { countOf, escapeHtml, formatCount } from './format.ts';
import type { GridRanks, RankedPoint } from './GridRanks.ts';

/** The colours of ranks. The number in each circle says the same. */
export const rankStyle = `
.ranks circle{stroke:var(--card);stroke-width:2}.ranks text{font:600 15px ui-sans-serif,system-ui,sans-serif;fill:#fff;stroke:none;text-anchor:middle;dominant-baseline:central}
.ranks .top{fill:#0b7a75}.ranks .middle{fill:#905300}.ranks .low{fill:#8f1030}.ranks .none{fill:#5c6672}.ranks .unknown{fill:none;stroke:var(--mute);stroke-dasharray:4 3}.ranks.large text{font-size:22px}
.ranks .scale{stroke:var(--ink);stroke-width:2;fill:none}.ranks text.length{font:18px ui-sans-serif,system-ui,sans-serif;fill:var(--ink);text-anchor:start;dominant-baseline:auto}
@media (max-width:640px){.ranks.large text,.ranks text.length{font-size:34px}}`;

/** What the colours say. */
export const rankColours = 'Green: 3 or better. Brown: 4 to 10. Red: below. Grey: not found.';

const width = 1000;
const [largest, large] = [36, 26]; // in large circles the numbers can be read on a phone
/** More points than this are not drawn: their circles would lie on each other. */
const mostPoints = 2500;

/** Draws the rank at each point of a grid, each as a circle with its number. */
export function drawRanks({ stage, search, points }: GridRanks): string {
  const found = points.filter(({ rows }) => rows > 0);
  const best = Math.min(...found.map(({ rank = Infinity }) => rank));
  const of = Object.values(search).map(String).join(', ');
  const words = `${stage}${of === '' ? '' : `, ${of}`}: found at ${formatCount(found.length)} of ${countOf(points.length, 'point')}${best === Infinity ? '' : `, at best ${best}`}`;
  if (points.length > mostPoints) return `<p class="mute">${escapeHtml(words)}</p>`;
  const west = points[0]?.longitude ?? 0;
  // where the map crosses the date line
  const spots = points.map((point) => ({
    point,
    x: mapX(west + ((((point.longitude - west + 180) % 360) + 360) % 360) - 180),
    y: mapY(point.latitude),
  }));
  const { left, top, right, bottom } = widened(boxOfPoints(spots.map(({ x, y }) => [x, y] as const)));
  const scale = width / (right - left);
  const height = (bottom - top) * scale;
  // points come row by row
  const apart = scale * Math.min(...spots.slice(1).map(({ x, y }, before) => Math.hypot(x - spots[before]!.x, y - spots[before]!.y)));
  const radius = Math.max(3, Math.min(largest, 0.42 * apart, 0.4 * Math.sqrt((width * height) / Math.max(1, points.length))));
  const circles = spots.map(({ point, x, y }) => {
    const [across, down] = [((x - left) * scale).toFixed(1), ((y - top) * scale).toFixed(1)];
    const text = radius < 9 ? '' : `<text x="${across}" y="${down}">${markOf(point)}</text>`;
    return `<g><title>${titleOf(point)}</title><circle class="${kindOf(point)}" cx="${across}" cy="${down}" r="${radius.toFixed(1)}"/>${text}</g>`;
  });
  return `<figure class="drawing"><figcaption class="mute">${escapeHtml(words)}</figcaption><svg class="map ranks${radius < large ? '' : ' large'}" role="img" aria-label="${escapeHtml(words)}" viewBox="0 0 ${width} ${height.toFixed(1)}">${circles.join('')}${drawScale(scale, (top + bottom) / 2, width, height)}</svg></figure>`;
}

function kindOf({ rank, rows, isUnknown }: RankedPoint): string {
  if (rows === 0) return isUnknown ? 'unknown' : 'none';
  if (rank === undefined || rank > 10) return 'low';
  return rank <= 3 ? 'top' : 'middle';
}

function markOf({ rank, rows, isUnknown }: RankedPoint): string {
  if (rows === 0) return isUnknown ? '' : '–';
  return rank === undefined ? '+' : String(rank);
}

function titleOf({ latitude, longitude, rank, rows, isUnknown }: RankedPoint): string {
  const what = rows > 0 ? (rank === undefined ? countOf(rows, 'row') : `rank ${rank}`) : isUnknown ? 'not searched' : 'not found';
  return `${latitude}, ${longitude}: ${what}`;
}
