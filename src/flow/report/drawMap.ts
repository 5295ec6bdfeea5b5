import { escapeHtml, formatCount } from './format.ts';
import { latitudeAt, longitudeAt, mapX, mapY, type MapRing, type MapBox } from '../../../operators/split/Area.ts';
import type { MapSketch } from './RunRecorder.ts';
import type { RowMap } from './readHeadlines.ts';
import { pointKinds, type RowKinds } from './pointKinds.ts';

export const mapStyle = `
.map{display:block;width:100%;background:var(--card)}
.map rect{fill:var(--c1);fill-opacity:0;stroke:var(--mute);stroke-opacity:.5;stroke-width:1;vector-effect:non-scaling-stroke}
.map .r1{fill-opacity:.07}.map .r2{fill-opacity:.16}.map .r3{fill-opacity:.27}.map .r4{fill-opacity:.4}.map .r5{fill-opacity:.55}
.map .first{fill-opacity:0;stroke-dasharray:2 3}
.map .full{stroke:var(--bad);stroke-width:2;stroke-opacity:1}
.map .area{fill:none;stroke:var(--ink);stroke-width:2;stroke-dasharray:6 4;vector-effect:non-scaling-stroke}
.map .row{stroke:currentColor;stroke-width:7px;stroke-linecap:round;vector-effect:non-scaling-stroke}
.q1{color:color-mix(in oklab,var(--c3) 45%,var(--card))}.q2{color:color-mix(in oklab,var(--c3) 75%,var(--card))}.q3{color:var(--c3)}
.q4{color:color-mix(in oklab,var(--c3) 60%,var(--ink))}.q5{color:color-mix(in oklab,var(--c3) 20%,var(--ink))}
.map circle{fill:currentColor;stroke:var(--card);stroke-width:1}.map .label{text-anchor:middle;dominant-baseline:central;font-weight:600}
.map .q4+.label,.map .q5+.label{fill:var(--card);stroke:none}
.map .large{font-size:22px}
.map .grid{stroke:var(--line);stroke-width:1;fill:none;vector-effect:non-scaling-stroke}
.map .scale{stroke:var(--ink);stroke-width:2;fill:none;vector-effect:non-scaling-stroke}
.map text{font:12px ui-sans-serif,system-ui,sans-serif;fill:var(--ink);paint-order:stroke;stroke:var(--card);stroke-width:3px}
.map .degrees{fill:var(--mute)}
@media (max-width:640px){.map.still text{font-size:36px;stroke-width:9px}}
.drawing figcaption{display:flex;flex-wrap:wrap;gap:0 var(--s3);padding:0 0 var(--s2);font-size:var(--t1)}
.key{display:inline-flex;align-items:center;gap:var(--s1);white-space:nowrap}
.key i{width:12px;height:12px;border:1px solid var(--line);background:color-mix(in srgb,var(--c1) var(--share),transparent)}
.key .r0{--share:0%}.key .r1{--share:7%}.key .r2{--share:16%}.key .r3{--share:27%}.key .r4{--share:40%}.key .r5{--share:55%}
.key i+i{margin-left:-5px}
.key .first{--share:0%;border:1px dotted var(--mute)}.key .full{--share:0%;border:2px solid var(--bad)}
.key .area{height:0;width:18px;border:0;border-top:2px dashed var(--ink)}
.key .row{width:8px;height:8px;border:0;border-radius:4px;background:currentColor}`;

const usualWidth = 1000;
/** The share of the area's size that is shown around it. */
const margin = 0.08;
/** The least ratio of the map's width to its height. */
const usualRatio = 1.6;

/** The least size of an area, on a map of size 1: about 40 m at the equator. */
const smallest = 1e-6;

type Drawn = Pick<MapSketch, 'tiles' | 'dots'>;

const oneKind: RowKinds = { kinds: [{ name: 'row', colour: 'c3' }], of: [] };

export interface DrawMapOptions {
  /** The outlines of the areas. Without them, the map shows all tiles. */
  readonly rings?: readonly MapRing[] | undefined;
  /** Rows that were left out because they lie outside. */
  readonly outside?: number | undefined;
  /** What is shown. @default the area and a margin, else all tiles, else all rows */
  readonly box?: MapBox | undefined;
  /** In pixels. @default as wide as what is around it */
  readonly pixels?: number | undefined;
  /** @default one kind */
  readonly coloured?: RowKinds | undefined;
  /** What it shows. @default how many tiles or rows */
  readonly words?: string | undefined;
}

/**
 * Draws the areas of a stage, the tiles that it searched in this run, coloured by their rows, and rows as dots. A tile that was split, or
 * is larger than the area, is an outline. Needs no map data: a grid of degrees and a scale say where one is.
 */
export function drawMap(stage: string, { tiles, dots }: Drawn, options: DrawMapOptions = {}): string {
  if (tiles.length + dots.length === 0) return '';
  const { rings = [], outside = 0, pixels, coloured = oneKind } = options;
  const area = rings.length === 0 ? undefined : boxOfPoints(rings.flat());
  const box = options.box ?? mapBox({ tiles, dots }, rings);
  const { left, top, right, bottom } = box;
  const width = pixels ?? usualWidth;
  const scale = width / (right - left);
  const height = (bottom - top) * scale;
  const at = (value: number): string => (value * scale).toFixed(1);
  const turn = (x: number): number => (x < left && x + 1 <= right ? x + 1 : x); // where the map crosses the date line
  const most = Math.max(1, ...tiles.filter((tile) => !isFirstLook(tile, area)).map(({ rows = 0 }) => rows));
  // large ones first, so that their quarters are on top
  const shown = tiles.toSorted((a, b) => a.zoom - b.zoom).map((tile) => {
    const { x, y, across, down, zoom, rows = 0, end } = tile;
    const shade = isFirstLook(tile, area) ? 'first' : `r${Math.ceil((5 * rows) / most)}`;
    const title = `zoom ${zoom}: ${formatCount(rows)} rows${end === 'split' ? ', split' : end === 'full' ? ', and there are more' : ''}`;
    return `<rect class="${shade}${end === 'full' ? ' full' : ''}" x="${at(turn(x) - across - left)}" y="${at(y - down - top)}" ` +
`width="${at(2 * across)}" height="${at(2 * down)}"><title>${title}</title></rect>`;
  }); // prettier-ignore
  const outlines = rings.map((ring) => `<path class="area" d="M${ring.map(([x, y]) => `${at(x - left)} ${at(y - top)}`).join('L')}Z"/>`);
  const inside = [...dots.entries()]
    .map(([index, [x, y]]) => ({ index, x: (turn(x) - left) * scale, y: (y - top) * scale }))
    .filter(({ x, y }) => x >= 0 && x <= width && y >= 0 && y <= height);
  const points = drawDots(inside, coloured);
  const grid = drawGrid(box, scale);
  const words = escapeHtml(options.words ?? mapWords({ tiles, dots }, outside));
  return (
    `<figure class="drawing"><figcaption class="mute"><span>${escapeHtml(stage)}: ` +
    `${words}</span>${keys(tiles, area, most, coloured)}</figcaption><svg class="map${pixels === undefined ? ' still' : ''}" role="img" ` +
    `aria-label="${escapeHtml(stage)}: ${words}" viewBox="0 0 ${width} ` +
    `${height.toFixed(1)}">${grid.lines}${shown.join('')}${outlines.join('')}${points.join('')}${grid.names}` +
    `${drawScale(scale, (top + bottom) / 2, width, height)}</svg></figure>`
  );
}

interface Dot {
  readonly index: number;
  readonly x: number;
  readonly y: number;
}

const [largest, large, readable, bareRadius, mostLabels] = [36, 24, 9, 5, 600];

/** Rows as dots, or as circles with labels if most of those don't lie on each other: the rest are dots below them. */
function drawDots(dots: readonly Dot[], { kinds, of, labels }: RowKinds): readonly string[] {
  const radius = labels === undefined || dots.length > mostLabels ? 0 : Math.min(largest, 0.42 * usualGap(dots));
  if (radius < readable) {
    const lines = kinds.map(() => '');
    for (const { index, x, y } of dots) lines[of[index] ?? 0] += `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
    return lines.map((line, kind) => (line === '' ? '' : `<path class="row ${kinds[kind]!.colour}" d="${line}"/>`));
  }
  const kind = radius < large ? 'label' : 'label large';
  const labelled: Dot[] = [];
  const bare: string[] = [];
  for (const dot of dots) {
    const isFree = labelled.every((other) => Math.hypot(dot.x - other.x, dot.y - other.y) >= 2 * radius);
    if (isFree) labelled.push(dot);
    else bare.push(circle(dot, kinds[of[dot.index] ?? 0]!.colour, bareRadius));
  }
  return [
    ...bare,
    ...labelled.map(
      (dot) =>
        `${circle(dot, kinds[of[dot.index] ?? 0]!.colour, radius)}<text class="${kind}" x="${dot.x.toFixed(1)}" ` +
        `y="${dot.y.toFixed(1)}">${escapeHtml(labels![dot.index]!)}</text>`,
    ),
  ];
}

function circle({ x, y }: Dot, colour: string, radius: number): string {
  return `<circle class="${colour}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(1)}"/>`;
}

/** The median distance from a dot to its nearest neighbour. */
function usualGap(dots: readonly Dot[]): number {
  const gaps = dots.map((one) =>
    Math.min(...dots.map((other) => (other === one ? Infinity : Math.hypot(one.x - other.x, one.y - other.y)))),
  );
  return gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? Infinity;
}

/** Draws rows where they are, with the value of a column as colour and in a circle: a dash where nothing was found. */
export function drawRowMap({ title, by, points }: RowMap): string {
  const west = points[0]?.longitude ?? 0;
  // where the map crosses the date line
  const beside = (longitude: number): number => west + ((((longitude - west + 180) % 360) + 360) % 360) - 180;
  const dots = points.map(({ latitude, longitude }) => [mapX(beside(longitude)), mapY(latitude)] as const);
  const values = points.map(({ value }) => value);
  const found = values.filter((value) => value !== null).length;
  const words = `${by} at ${formatCount(found)} of ${formatCount(points.length)} points`;
  return drawMap(title, { tiles: [], dots }, { coloured: pointKinds(values, by), words });
}

/** Whether a tile is only an outline: it was split, or is as large as the area. */
function isFirstLook({ end, across, down }: MapSketch['tiles'][number], area: MapBox | undefined): boolean {
  return end === 'split' || (area !== undefined && 2 * across >= area.right - area.left && 2 * down >= area.bottom - area.top);
}

function mapWords({ tiles, dots }: Drawn, outside: number): string {
  const full = tiles.filter(({ end }) => end === 'full').length;
  const what = tiles.length === 0 ? `${formatCount(dots.length)} rows` : `${formatCount(tiles.length)} tiles of this run`;
  const left = outside === 0 ? '' : `; ${formatCount(outside)} rows from outside the area left out`;
  return `${what}${full === 0 ? '' : `; ${formatCount(full)} stayed full`}${left}`;
}

function keys(tiles: MapSketch['tiles'], area: MapBox | undefined, most: number, { kinds }: RowKinds): string {
  const key = (marks: readonly string[], text: string): string =>
    `<span class="key">${marks.map((mark) => `<i class="${mark}"></i>`).join('')}${escapeHtml(text)}</span>`;
  const shades = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5'];
  return [
    ...(area === undefined ? [] : [key(['area'], 'area')]),
    ...(tiles.every((tile) => isFirstLook(tile, area)) ? [] : [key(shades, `0 to ${formatCount(most)} rows in a tile`)]),
    ...(tiles.some((tile) => isFirstLook(tile, area)) ? [key(['first'], 'first look')] : []),
    ...(tiles.some(({ end }) => end === 'full') ? [key(['full'], 'tile with more rows than were found')] : []),
    ...kinds.map(({ name, colour }) => key([`row ${colour}`], name)),
  ].join('');
}

/** What a map shows at first: the area, else all tiles, else all rows. */
export function mapBox({ tiles, dots }: Drawn, rings: readonly MapRing[], ratio: number = usualRatio): MapBox {
  if (rings.length > 0) return widened(boxOfPoints(rings.flat()), ratio);
  return tiles.length > 0 ? boxOfTiles(tiles) : widened(boxOfPoints(dots), ratio);
}

function boxOfTiles(tiles: MapSketch['tiles']): MapBox {
  return boxOfPoints(tiles.flatMap(({ x, y, across, down }) => [[x - across, y - down] as const, [x + across, y + down] as const]));
}

function boxOfPoints(points: MapRing): MapBox {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const [x, y] of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

function widened({ left, right, top, bottom }: MapBox, ratio: number = usualRatio): MapBox {
  const by = Math.max(right - left, bottom - top, smallest) * margin;
  const aside = Math.max(by, ((bottom - top + 2 * by) * ratio - (right - left)) / 2);
  return { left: left - aside, right: right + aside, top: top - by, bottom: bottom + by };
}

const degrees = [1e-4, 1e-3, 0.01, 0.1, 1, 10].flatMap((power) => [1, 2, 5].map((digit) => digit * power));

/** Lines of round degrees, at most six each way, with their names at the edge. */
function drawGrid({ left, right, top, bottom }: MapBox, scale: number): { readonly lines: string; readonly names: string } {
  const longitude = (x: number): number => x * 360 - 180; // beyond 180 where the map crosses the date line
  const step = degrees.find((one) => (longitude(right) - longitude(left)) / one <= 6) ?? 50;
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const between = (low: number, high: number): readonly number[] => {
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, at) => (first + at) * step);
  };
  const named = (degree: number, ends: string): string => `${Math.abs(degree).toFixed(digits)}° ${ends[degree < 0 ? 1 : 0]}`;
  const width = (right - left) * scale;
  const meridians = between(longitude(left), longitude(right)).map((degree) => {
    const x = (((degree + 180) / 360 - left) * scale).toFixed(1);
    const name = Number(x) > width * 0.85 ? '' : named(longitudeAt((degree + 180) / 360), 'EW');
    return {
      line: `M${x} 0v${((bottom - top) * scale).toFixed(1)}`,
      name: `<text class="degrees" x="${x}" y="1.1em" dx=".3em">${name}</text>`,
    };
  });
  const parallels = between(latitudeAt(bottom), latitudeAt(top)).map((degree) => {
    const y = (mapY(degree) - top) * scale;
    return {
      line: `M0 ${y.toFixed(1)}h${width.toFixed(1)}`,
      name: `<text class="degrees" x="${width - 4}" y="${y.toFixed(1)}" dy="-.3em" text-anchor="end">${named(degree, 'NS')}</text>`,
    };
  });
  const all = [...meridians, ...parallels];
  return { lines: `<path class="grid" d="${all.map(({ line }) => line).join('')}"/>`, names: all.map(({ name }) => name).join('') };
}

const equatorMetres = 40_075_017;
const lengths = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 7 }, (_, power) => digit * 10 ** power))
  .toSorted((one, other) => one - other);

/** A bar of a round length, at most a quarter of the map wide, true at the latitude of the middle. */
function drawScale(scale: number, middle: number, width: number, height: number): string {
  const metres = equatorMetres / Math.cosh(Math.PI * (1 - 2 * middle)) / scale; // of one step in the drawing
  const length = lengths.findLast((one) => one / metres <= width / 4) ?? 1;
  const end = (16 + length / metres).toFixed(1);
  const text = length < 1000 ? `${length} m` : `${formatCount(length / 1000)} km`;
  return (
    `<path class="scale" d="M16 ${(height - 22).toFixed(1)}v6H${end}v-6"/><text class="length" x="20" ` +
    `y="${(height - 26).toFixed(1)}">${text}</text>`
  );
}
