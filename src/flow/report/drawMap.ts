import { escapeHtml, formatCount } from './format.ts';
import type { MapRing, MapBox } from '../../../operators/split/Area.ts';
import type { MapSketch } from './RunRecorder.ts';

/** The colours of the map. */
export const mapStyle = `
.map rect{fill:none;stroke:var(--mute);stroke-opacity:.6;stroke-width:1;vector-effect:non-scaling-stroke}
.map .done{fill:var(--good);fill-opacity:.16}
.map .full{fill:var(--bad);fill-opacity:.35;stroke:var(--bad)}
.map .area{fill:none;stroke:var(--ink);stroke-width:2;stroke-dasharray:6 4;vector-effect:non-scaling-stroke}
.map .row{stroke:var(--c1);stroke-width:7px;stroke-linecap:round;vector-effect:non-scaling-stroke}
.map .scale{stroke:var(--ink);stroke-width:2;fill:none}
.map text{font:18px ui-sans-serif,system-ui,sans-serif;fill:var(--ink)}@media (max-width:640px){.map text{font-size:40px}}
.drawing figcaption{display:flex;flex-wrap:wrap;gap:0 14px}.key{white-space:nowrap}.key::before{content:"";display:inline-block;width:10px;height:10px;margin-right:5px;border:1px solid var(--line)}
.key.done::before{background:color-mix(in srgb,var(--good) 16%,transparent)}.key.full::before{background:color-mix(in srgb,var(--bad) 35%,transparent);border-color:var(--bad)}
.key.area::before{width:18px;height:0;border:0;border-top:2px dashed var(--ink);vertical-align:middle}
.key.row::before{width:8px;height:8px;border:0;border-radius:4px;background:var(--c1)}`;

const width = 1000;
/** The share of the area's size that is shown around it. */
const margin = 0.08;
/** The least ratio of the map's width to its height: a higher map is cut by its frame. */
const flattest = 1.6;

/** The least size of an area, on a map of size 1: about 40 m at the equator. */
const smallest = 1e-6;

interface MapOptions {
  /** The outlines of the areas. Without them, the map shows all tiles. */
  readonly rings?: readonly MapRing[] | undefined;
  /** Rows that were left out because they lie outside. */
  readonly outside?: number | undefined;
}

/**
 * Draws the areas of a stage, the tiles that it searched in this run, rows as dots, and full tiles in another colour. Without areas
 * and tiles, the rows decide what is shown. Needs no map data.
 */
export function drawMap(
  stage: string,
  { tiles, dots }: Pick<MapSketch, 'tiles' | 'dots'>,
  { rings = [], outside = 0 }: MapOptions = {},
): string {
  if (tiles.length + dots.length === 0) return '';
  const isPlain = tiles.length === 0;
  const box =
    rings.length === 0 && !isPlain ? boxOfTiles(tiles) : widened(boxOfPoints(isPlain ? [...rings.flat(), ...dots] : rings.flat()));
  const { left, top } = box;
  const scale = width / (box.right - left);
  const height = (box.bottom - top) * scale;
  const at = (value: number): string => (value * scale).toFixed(1);
  const turn = (x: number): number => (x < left && x + 1 <= box.right ? x + 1 : x); // where the map crosses the date line
  const point = ([x, y]: readonly [number, number]): string => `${at(turn(x) - left)} ${at(y - top)}`;
  // large ones first, so that their quarters are on top
  const shown = tiles.toSorted((a, b) => a.zoom - b.zoom).map(({ x, y, across, down, zoom, rows = 0, end }) => {
    const title = `zoom ${zoom}: ${formatCount(rows)} rows${end === 'split' ? ', split' : end === 'full' ? ', and there are more' : ''}`;
    return `<rect class="${end}" x="${at(turn(x) - across - left)}" y="${at(y - down - top)}" width="${at(2 * across)}" height="${at(2 * down)}"><title>${title}</title></rect>`;
  }); // prettier-ignore
  const outlines = rings.map((ring) => `<path class="area" d="M${ring.map(([x, y]) => `${at(x - left)} ${at(y - top)}`).join('L')}Z"/>`);
  const points = dots.map((dot) => `<path class="row" d="M${point(dot)}h0"/>`);
  const full = tiles.filter(({ end }) => end === 'full').length;
  const what = isPlain ? `${formatCount(dots.length)} rows` : `${formatCount(tiles.length)} tiles of this run`;
  const words = `${what}${full === 0 ? '' : `; ${formatCount(full)} stayed full`}${outside === 0 ? '' : `; ${formatCount(outside)} rows from outside the area left out`}`;
  const keys = [
    ...(rings.length === 0 ? [] : [['area', 'area']]),
    ...(isPlain ? [] : [['done', 'searched tile']]),
    ...(full === 0 ? [] : [['full', 'tile with more rows than were found']]),
    ['row', 'row'],
  ].map(([kind, text]) => `<span class="key ${kind}">${text}</span>`);
  return `<figure class="drawing"><figcaption class="mute">${escapeHtml(stage)}: ${words}${keys.join('')}</figcaption><svg class="map" role="img" aria-label="${escapeHtml(stage)}: ${words}" viewBox="0 0 ${width} ${height.toFixed(1)}">${shown.join('')}${outlines.join('')}${points.join('')}${drawScale(scale, (top + box.bottom) / 2, height)}</svg></figure>`;
}

function boxOfTiles(tiles: MapSketch['tiles']): MapBox {
  return boxOfPoints(tiles.flatMap(({ x, y, across, down }) => [[x - across, y - down] as const, [x + across, y + down] as const]));
}

export function boxOfPoints(points: MapRing): MapBox {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const [x, y] of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

export function widened({ left, right, top, bottom }: MapBox): MapBox {
  const by = Math.max(right - left, bottom - top, smallest) * margin;
  const aside = Math.max(by, ((bottom - top + 2 * by) * flattest - (right - left)) / 2);
  return { left: left - aside, right: right + aside, top: top - by, bottom: bottom + by };
}

const equatorMetres = 40_075_017;
const lengths = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 7 }, (_, power) => digit * 10 ** power))
  .toSorted((one, other) => one - other);

/** A bar of a round length, at most a quarter of the map wide, true at the latitude of the middle. */
export function drawScale(scale: number, middle: number, height: number): string {
  const metres = equatorMetres / Math.cosh(Math.PI * (1 - 2 * middle)) / scale; // of one step in the drawing
  const length = lengths.findLast((one) => one / metres <= width / 4) ?? 1;
  const end = (16 + length / metres).toFixed(1);
  const text = length < 1000 ? `${length} m` : `${formatCount(length / 1000)} km`;
  return `<path class="scale" d="M16 ${(height - 22).toFixed(1)}v6H${end}v-6"/><text class="length" x="20" y="${(height - 26).toFixed(1)}">${text}</text>`;
}
