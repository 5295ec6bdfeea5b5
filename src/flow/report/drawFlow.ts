import { escapeHtml } from './format.ts';
import { depthsOf } from '../definition/depthsOf.ts';

interface DrawFlowOptions {
  /** Include light and dark colours, for a separate file. Otherwise the page must include `flowStyle`. @default false */
  readonly standalone?: boolean;
  /** Lines above the drawing: a title, and what is true of the whole. @default none */
  readonly heading?: readonly string[];
}

export const flowStyle = `
.flow text{font:12px ui-sans-serif,system-ui,sans-serif;fill:var(--ink)}
.flow .title{font-weight:600;font-size:16px}
.flow .name{font-weight:600;font-size:13px}
.flow .call{fill:var(--mute)}
.flow rect{fill:var(--card);stroke:var(--line)}
.flow .bar{stroke:none;fill:var(--mute)}
.flow .good .bar{fill:var(--good)}.flow .warn .bar{fill:var(--warn)}.flow .bad .bar{fill:var(--bad)}
.flow path{fill:none;stroke:var(--mute);stroke-width:1.5}`;

/** The colours of the report, the page and a plan. `src/show/page/README.md` says what they are for. */
export const lightColours =
  '--bg:#f6f7f9;--card:#fff;--ink:#1c2128;--mute:#59636e;--line:#d8dde3;--good:#0b7a75;--warn:#905300;--bad:#8f1030;' +
  '--c1:#1a4fc0;--c2:#2f9a78;--c3:#d9730d;--c4:#6d1f5c;--c5:#6b6410';
export const darkColours =
  '--bg:#12151a;--card:#1b2027;--ink:#e6e9ed;--mute:#98a2ad;--line:#363e48;--good:#6fdcd0;--warn:#f2b34b;--bad:#f4657f;' +
  '--c1:#5f9bff;--c2:#7fe3c0;--c3:#e07a35;--c4:#c07fb0;--c5:#e8cc52';

const ownColours = `svg{${lightColours};background:var(--bg)}@media (prefers-color-scheme:dark){svg{${darkColours}}}`;

const [least, most] = [216, 360]; // of a box
const gapX = 44;
const gapY = 16;
const widestHeading = 880;
const margin = 12;
const lineHeight = 17;
const headingHeight = 21;
const [nameChar, lineChar] = [8.6, 6.8]; // the widths of a character of 13 px in bold, and of 12 px
const inset = 26; // of texts in a box

/** Draws the flow as an SVG from left to right, from plain data. It fetches and runs nothing. */
export function drawFlow(boxes: readonly FlowBox[], options: DrawFlowOptions = {}): string {
  const columns = layFlow(boxes);
  const width = widthOf(columns.flat());
  const placed = new Map<string, { x: number; y: number; height: number; box: FlowBox }>();
  const { heading = [] } = options;
  const above = heading.length === 0 ? 0 : margin + heading.length * headingHeight;
  const tallest = Math.max(0, ...columns.map(heightOf));
  for (const [column, inColumn] of columns.entries()) {
    let y = above + margin + (tallest - heightOf(inColumn)) / 2;
    for (const box of inColumn) {
      placed.set(box.name, { x: margin + column * (width + gapX), y, height: boxHeight(box), box });
      y += boxHeight(box) + gapY;
    }
  }
  const size = { width: columns.length * (width + gapX) - gapX + 2 * margin, height: above + tallest + 2 * margin };
  const widest = 2 * margin + 9 * Math.max(0, ...heading.map((text) => text.length));
  size.width = Math.max(size.width, Math.min(widest, widestHeading));
  const parts = heading.map(
    (text, line) =>
      `<text class="${line === 0 ? 'title' : 'line'}" x="${margin}" y="${margin + 15 + line * headingHeight}">${escapeHtml(text)}</text>`,
  );
  for (const child of placed.values()) {
    for (const name of child.box.each) {
      const parent = placed.get(name);
      if (parent !== undefined && parent !== child) parts.push(edge(parent, child, width));
    }
  }
  for (const box of placed.values()) parts.push(drawBox(box, width));
  const style = options.standalone === true ? `<style>${ownColours}${flowStyle}</style>` : '';
  return (
    `<svg class="flow" xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${size.width} ` +
    `${size.height}" role="img" aria-label="The flow's stages">${style}${parts.join('')}</svg>\n`
  );
}

/** All boxes are as wide as the longest text needs, within limits. */
function widthOf(boxes: readonly FlowBox[]): number {
  const wanted = boxes.flatMap(({ name, call = '', lines }) => [
    name.length * nameChar,
    ...[call, ...lines].map((text) => text.length * lineChar),
  ]);
  return Math.round(Math.min(most, Math.max(least, inset + Math.max(0, ...wanted))));
}

function boxHeight(box: FlowBox): number {
  return 30 + lineHeight * (box.lines.length + (box.call === undefined ? 0 : 1));
}

function heightOf(column: readonly FlowBox[]): number {
  return column.reduce((sum, box) => sum + boxHeight(box) + gapY, -gapY);
}

function edge(parent: { x: number; y: number; height: number }, child: { x: number; y: number; height: number }, width: number): string {
  const [x1, y1, x2, y2] = [parent.x + width, parent.y + parent.height / 2, child.x, child.y + child.height / 2];
  const bend = (x1 + x2) / 2;
  return `<path d="M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2 - 1} ${y2}m-6 -4l6 4l-6 4"/>`;
}

function drawBox({ x, y, height, box }: { x: number; y: number; height: number; box: FlowBox }, width: number): string {
  const room = width - inset;
  const lines = [
    { text: box.name, kind: 'name' },
    ...(box.call === undefined ? [] : [{ text: box.call, kind: 'call' }]),
    ...box.lines.map((text) => ({ text, kind: 'line' })),
  ];
  const texts = lines.map(
    ({ text, kind }, index) =>
      `<text class="${kind}" x="${x + 14}" ` +
      `y="${y + 22 + index * lineHeight}">${escapeHtml(fit(text, Math.floor(room / (kind === 'name' ? nameChar : lineChar))))}</text>`,
  );
  const whole = escapeHtml(lines.map((line) => line.text).join('\n'));
  return (
    `<g class="${box.mood ?? 'plain'}"><title>${whole}</title><rect x="${x}" y="${y}" width="${width}" height="${height}" ` +
    `rx="6"/><rect class="bar" x="${x}" y="${y + 8}" width="3" height="${height - 16}" rx="1.5"/>${texts.join('')}</g>`
  );
}

function fit(text: string, limit: number): string {
  const chars = Array.from(text);
  return chars.length <= limit ? text : `${chars.slice(0, limit - 1).join('')}…`;
}

/** A box of the drawing: a stage with its figures, or a seed file. */
export interface FlowBox {
  readonly name: string;
  /** The operation. undefined for a seed file. */
  readonly call?: string | undefined;
  /** The boxes whose rows it runs over. A name without a box is drawn as a seed file. */
  readonly each: readonly string[];
  readonly lines: readonly string[];
  readonly mood?: 'good' | 'warn' | 'bad' | 'now' | undefined;
}

/** Arranges the boxes in columns. Each is to the right of its inputs, and as close to their height as possible. */
export function layFlow(boxes: readonly FlowBox[]): readonly (readonly FlowBox[])[] {
  const all = new Map(boxes.map((box) => [box.name, box]));
  for (const seed of boxes.flatMap((box) => box.each)) {
    if (!all.has(seed)) all.set(seed, { name: seed, each: [], lines: ['seeds'] });
  }
  const { depths } = depthsOf(all.keys(), (name) => all.get(name)!.each);
  const columns: FlowBox[][] = [];
  for (const box of all.values()) (columns[depths.get(box.name)!] ??= []).push(box);

  const heights = new Map<string, number>();
  for (const column of columns) {
    const wish = new Map(column.map((box, index) => [box, mean(box.each.map((name) => heights.get(name))) ?? index]));
    column.sort((one, other) => (wish.get(one) as number) - (wish.get(other) as number));
    for (const [index, box] of column.entries()) heights.set(box.name, index);
  }
  return columns;
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}
