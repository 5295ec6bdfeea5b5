import { TestScheduler } from 'rxjs/testing';
import type { Diagram, Line } from './Diagram.ts';

const frame = 30;
const rowHeight = 44;
const left = 190;
const radius = 13;
const hues = [210, 28, 145, 285, 350, 175, 52, 255];

interface Mark {
  readonly at: number;
  readonly kind: 'N' | 'E' | 'C';
  readonly value: string;
}

/** A diagram as an SVG, legible on light and dark: the streams above, the operator, what comes out. */
export function draw({ operator, call, source, inner, output }: Diagram): string {
  const result: Line = { label: 'out', marbles: output };
  const lines = [source, ...inner, result];
  const frames = Math.max(...lines.map((line) => startOf(line) + Math.max(0, ...marksOf(line).map(({ at }) => at)))) + 2;
  const width = left + frames * frame + 24;
  const boxAt = 20 + (inner.length + 1) * rowHeight;
  const height = boxAt + 56 + rowHeight;
  const above = [source, ...inner].map((line, row) => stream(line, 20 + row * rowHeight + rowHeight / 2, frames, row > 0));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(describe(operator, lines))}">`,
    `<style>
  text { font: 14px ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #24292f }
  .label { font-size: 13px; fill: #57606a }
  .call { font: 600 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
  .line { stroke: #57606a; stroke-width: 2 }
  .inner { stroke-dasharray: 2 4 }
  .box { fill: #f6f8fa; stroke: #8c959f; stroke-width: 1.5 }
  .mark { stroke-width: 1.5 }
  .letter { font-weight: 600; fill: #1f2328 }
  .error { stroke: #cf222e; stroke-width: 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .label { fill: #9da7b3 }
    .line { stroke: #9da7b3 }
    .box { fill: #161b22; stroke: #6e7681 }
    .letter { fill: #1f2328 }
    .error { stroke: #ff7b72 }
  }
</style>`,
    ...above,
    `<rect class="box" x="12" y="${boxAt + 4}" width="${width - 24}" height="40" rx="8"/>`,
    `<text class="call" x="${width / 2}" y="${boxAt + 29}" text-anchor="middle">${escape(call)}</text>`,
    stream(result, boxAt + 56 + rowHeight / 2 - 8, frames, false),
    '</svg>\n',
  ].join('\n');
}

function stream(line: Line, y: number, frames: number, isInner: boolean): string {
  const start = startOf(line);
  const marks = marksOf(line);
  const cut = line.subscribed === undefined ? -1 : line.subscribed.indexOf('!');
  const end = cut < 0 ? marks.at(-1)!.at + start : cut;
  const x = (at: number): number => left + at * frame + radius;
  const parts = [`<text class="label" x="${left - 16}" y="${y + 5}" text-anchor="end">${escape(line.label)}</text>`];
  const last = isInner ? x(end) : x(frames - 1);
  parts.push(`<line class="line${isInner ? ' inner' : ''}" x1="${x(start) - radius}" y1="${y}" x2="${last}" y2="${y}"/>`);
  if (!isInner) parts.push(`<path class="line" fill="none" d="M ${last - 7} ${y - 5} L ${last} ${y} L ${last - 7} ${y + 5}"/>`);
  const seen = new Map<number, number>();
  for (const { at, kind, value } of marks) {
    if (start + at > end) continue;
    // Several at one instant stand side by side, touching.
    const place = seen.get(at) ?? 0;
    if (kind === 'N') seen.set(at, place + 1);
    const cx = x(start + at) + place * (frame - 6);
    if (kind === 'N') {
      const hue = hues[(value.toLowerCase().codePointAt(0)! - 1) % hues.length]!;
      parts.push(`<circle class="mark" cx="${cx}" cy="${y}" r="${radius}" fill="hsl(${hue} 80% 78%)" stroke="hsl(${hue} 50% 42%)"/>`);
      parts.push(`<text class="letter" x="${cx}" y="${y + 5}" text-anchor="middle">${escape(value)}</text>`);
    } else {
      const beside = place === 0 ? cx : cx - (frame - 6) + radius + 5;
      if (kind === 'C') parts.push(`<line class="line" x1="${beside}" y1="${y - 13}" x2="${beside}" y2="${y + 13}"/>`);
      else parts.push(`<path class="error" fill="none" d="M ${beside - 7} ${y - 7} l 14 14 m 0 -14 l -14 14"/>`);
    }
  }
  return parts.join('\n');
}

function startOf({ subscribed }: Line): number {
  return subscribed === undefined ? 0 : subscribed.indexOf('^');
}

function marksOf({ marbles }: Line): Mark[] {
  return TestScheduler.parseMarbles(marbles, undefined, undefined, false, true).map(({ frame: time, notification }) => ({
    at: time / TestScheduler.frameTimeFactor,
    kind: notification.kind,
    value: notification.kind === 'N' ? String(notification.value) : '',
  }));
}

function describe(operator: string, lines: readonly Line[]): string {
  return `Marble diagram of ${operator}: ${lines.map(({ label, marbles }) => `${label} ${marbles}`).join('; ')}`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}
