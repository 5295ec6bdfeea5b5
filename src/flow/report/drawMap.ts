import { escapeHtml, formatCount } from './format.ts';
import type { MapSketch } from './RunRecorder.ts';

/** The colours of the map. */
export const mapStyle = `
.map rect{fill:none;stroke:var(--line);stroke-width:.5}
.map .done{fill:var(--good);fill-opacity:.07}
.map .full{fill:var(--bad);fill-opacity:.35;stroke:var(--bad)}
.map circle{fill:var(--c1);fill-opacity:.8}
.map .scale{stroke:var(--ink);stroke-width:2;fill:none}
.map text{font:18px ui-sans-serif,system-ui,sans-serif;fill:var(--ink)}
.key{margin-left:14px;white-space:nowrap}.key::before{content:"";display:inline-block;width:10px;height:10px;margin-right:5px;border:1px solid var(--line)}
.key.done::before{background:color-mix(in srgb,var(--good) 20%,transparent)}.key.full::before{background:color-mix(in srgb,var(--bad) 35%,transparent);border-color:var(--bad)}
.key.row::before{width:8px;height:8px;border:0;border-radius:4px;background:var(--c1)}`;

const width = 1000;

/** Draws the tiles that a stage searched in this run, with rows as dots and full tiles in another colour. Needs no map data. */
export function drawMap(stage: string, { tiles, dots }: MapSketch, outside: number = 0): string {
  if (tiles.length === 0) return '';
  const left = Math.min(...tiles.map(({ x, across }) => x - across));
  const right = Math.max(...tiles.map(({ x, across }) => x + across));
  const top = Math.min(...tiles.map(({ y, down }) => y - down));
  const bottom = Math.max(...tiles.map(({ y, down }) => y + down));
  const scale = width / (right - left);
  const at = (value: number): string => (value * scale).toFixed(1);
  // large ones first, so that their quarters are on top
  const shown = tiles.toSorted((a, b) => a.zoom - b.zoom).map(({ x, y, across, down, zoom, rows = 0, end }) => {
    const title = `zoom ${zoom}: ${formatCount(rows)} rows${end === 'split' ? ', split' : end === 'full' ? ', and there are more' : ''}`;
    return `<rect class="${end}" x="${at(x - across - left)}" y="${at(y - down - top)}" width="${at(2 * across)}" height="${at(2 * down)}"><title>${title}</title></rect>`;
  }); // prettier-ignore
  const points = dots
    .map(([x, y]) => [x < left ? x + 1 : x, y] as const)
    .filter(([x]) => x <= right)
    .map(([x, y]) => `<circle cx="${at(x - left)}" cy="${at(y - top)}" r="3"/>`);
  const full = tiles.filter(({ end }) => end === 'full').length;
  const words = `${formatCount(tiles.length)} tiles of this run${full === 0 ? '' : `; ${formatCount(full)} stayed full`}${outside === 0 ? '' : `; ${formatCount(outside)} rows from outside the area left out`}`;
  const keys = [['done', 'searched tile'], ...(full === 0 ? [] : [['full', 'tile with more rows than were found']]), ['row', 'row']].map(
    ([kind, text]) => `<span class="key ${kind}">${text}</span>`,
  );
  const height = (bottom - top) * scale;
  return `<figure class="drawing"><figcaption class="mute">${escapeHtml(stage)}: ${words}${keys.join('')}</figcaption><svg class="map" role="img" aria-label="${escapeHtml(stage)}: ${words}" viewBox="0 0 ${width} ${height.toFixed(1)}">${shown.join('')}${points.join('')}${drawScale(scale, (top + bottom) / 2, height)}</svg></figure>`;
}

const equatorMetres = 40_075_017;
const lengths = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 7 }, (_, power) => digit * 10 ** power))
  .toSorted((one, other) => one - other);

/** A bar of a round length, at most a quarter of the map wide, true at the latitude of the middle. */
function drawScale(scale: number, middle: number, height: number): string {
  const metres = equatorMetres / Math.cosh(Math.PI * (1 - 2 * middle)) / scale; // of one step in the drawing
  const length = lengths.findLast((one) => one / metres <= width / 4) ?? 1;
  const end = (16 + length / metres).toFixed(1);
  const text = length < 1000 ? `${length} m` : `${formatCount(length / 1000)} km`;
  return `<path class="scale" d="M16 ${(height - 22).toFixed(1)}v6H${end}v-6"/><text x="20" y="${(height - 26).toFixed(1)}">${text}</text>`;
}
