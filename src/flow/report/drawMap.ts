import { escapeHtml, formatCount } from './format.ts';
import type { MapSketch } from './RunRecorder.ts';

/** The colours of the map. */
export const mapStyle = `
.map rect{fill:none;stroke:var(--line);stroke-width:.5}
.map .done{fill:var(--good);fill-opacity:.07}
.map .full{fill:var(--bad);fill-opacity:.35;stroke:var(--bad)}
.map circle{fill:var(--ink);fill-opacity:.55}`;

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
    .map(([x, y]) => `<circle cx="${at(x - left)}" cy="${at(y - top)}" r="1.6"/>`);
  const full = tiles.filter(({ end }) => end === 'full').length;
  const words = `${formatCount(tiles.length)} tiles of this run${full === 0 ? '' : `; ${formatCount(full)} stayed full`}${outside === 0 ? '' : `; ${formatCount(outside)} rows from outside the area left out`}`;
  return `<figure class="drawing"><figcaption class="mute">${escapeHtml(stage)}: ${words}</figcaption><svg class="map" role="img" aria-label="${escapeHtml(stage)}: ${words}" viewBox="0 0 ${width} ${at(bottom - top)}">${shown.join('')}${points.join('')}</svg></figure>`;
}
