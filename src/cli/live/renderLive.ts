import type { StageProgress } from '../../flow/index.ts';
import { formatCount, formatDuration } from '../../flow/report/index.ts';
import { escapeForTerminal } from '../text/escapeForTerminal.ts';
import { type Paint, plain } from '../text/paintFor.ts';
import { fitText, padText, textWidth } from '../text/textWidth.ts';
import { formatLeft, formatSeconds } from './renderLine.ts';
import type { RunView, Shares } from './RunView.ts';

const mostKinds = 3; // kinds of failures to show. The summary and the report have all

/**
 * A run as lines for a terminal of that size. None is wider, there are fewer than its rows, and they contain no foreign
 * escape sequences.
 */
export function renderLive(view: RunView, columns: number, rows: number, paint: Paint = plain): readonly string[] {
  const width = Math.max(10, columns - 1); // a full last column would wrap on some terminals
  const failures = failureLines(view, Math.min(mostKinds, Math.max(0, rows - 8)), paint);
  const now = view.ended ? [] : nowLines(view, paint);
  const around = 4 + failures.length + now.length;
  const lines = [heading(view, width, paint), ...table(view, width, Math.max(1, rows - 1 - around), paint), figures(view, paint)];
  return [...lines, ...failures, ...now].map((line) => fitText(line, width));
}

function heading({ name, resumed, elapsedMs, ended, stopping }: RunView, width: number, paint: Paint): string {
  const left = `${paint.bold(escapeForTerminal(name))}  ${formatSeconds(elapsedMs)}${resumed ? ', resumed' : ''}`;
  const hint = 'Ctrl-C pauses';
  const space = width - textWidth(left) - hint.length;
  return ended || stopping || space < 2 ? left : `${left}${' '.repeat(space)}${paint.dim(hint)}`;
}

function figures({ requests, maxRequests, requestsPerSecond, throttled, rate, ended }: RunView, paint: Paint): string {
  const budget = maxRequests === undefined ? '' : ` of ${formatCount(maxRequests)}`;
  const limit = rate === undefined ? '' : ` (limit ${formatCount(rate)}/s)`;
  const pace = ended ? '' : `, ${formatCount(requestsPerSecond)}/s${limit}`;
  return `${formatCount(requests)}${budget} requests${pace}${throttled > 0 ? `, ${paint.amber(`${formatCount(throttled)} × 429`)}` : ''}`;
}

function nowLines({ stopping, pausedMs }: RunView, paint: Paint): readonly string[] {
  if (stopping) return [paint.amber('Stopping: the rows that arrived are being written. Ctrl-C again exits at once.')];
  return pausedMs > 0 ? [paint.amber(`Paused for ${formatDuration(pausedMs)}: the service asked for it.`)] : [];
}

function failureLines({ failures }: RunView, most: number, paint: Paint): readonly string[] {
  const lines = failures
    .slice(0, most)
    .map(({ stage, message, count }) => `${paint.red(`${formatCount(count)} ×`)} ${escapeForTerminal(`${stage}: ${message}`)}`);
  const more = failures.length - lines.length;
  return more > 0 && most > 0 ? [...lines, `and ${formatCount(more)} more`] : lines;
}

/** One line per stage, and one for the whole run with the time left. */
function table(view: RunView, width: number, most: number, paint: Paint): readonly string[] {
  const shown = view.stages.length <= most ? view.stages : busiest(view.stages, most - 1);
  const names = [...shown.map(({ name }) => escapeForTerminal(name)), 'total'];
  const queries = shown.map(queriesOf);
  const rows = shown.map((stage) => formatCount(stage.rows));
  const failed = shown.map(({ failed }) => (failed > 0 ? `  ${paint.red(`${formatCount(failed)} failed`)}` : ''));
  const [queriesWord, rowsWord] = width >= 64 ? [' queries', ' rows'] : ['', ''];
  const [nameWidth, queriesWidth, rowsWidth] = [
    Math.min(longest(names), Math.max(8, Math.floor(width / 4))),
    longest(queries),
    longest(rows),
  ];
  const total = totalOf(view);
  const textWidths = [
    queriesWidth + queriesWord.length + 2 + rowsWidth + rowsWord.length + longest(failed),
    textWidth(total) + timeRoom(view),
  ];
  const barWidth = width - nameWidth - 4 - Math.max(...textWidths);
  const line = (name: string, shares: Shares, mood: Mood, text: string): string =>
    [padText(name, nameWidth), ...(barWidth >= 6 ? [bar(shares, barWidth, mood, paint)] : []), text].join('  ');
  const lines = shown.map((stage, index) => {
    const texts = [
      padText(queries[index] as string, queriesWidth, 'right') + queriesWord,
      padText(rows[index] as string, rowsWidth, 'right'),
    ];
    const shares = view.bars[view.stages.indexOf(stage)] as Shares;
    return line(names[index] as string, shares, moodOf(stage, paint), `${texts.join('  ')}${rowsWord}${failed[index]}`);
  });
  const hidden = view.stages.length - shown.length;
  return [
    ...lines,
    ...(hidden > 0 ? [`and ${formatCount(hidden)} more stages`] : []),
    line('total', view.total, worstMood(view.stages, paint), total),
  ];
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}

function totalOf({ stages, left, ended }: RunView): string {
  const rows = `${formatCount(stages.reduce((sum, stage) => sum + stage.rows, 0))} rows`;
  return ended || left === undefined ? rows : `${rows}, ${formatLeft(left)}`;
}

/** The time left comes and goes and changes its length. Room is kept for it, so that the bars don't move. */
function timeRoom({ left, ended }: RunView): number {
  const room = ', at least 59 min 59 s left'.length;
  return ended ? 0 : Math.max(0, room - (left === undefined ? 0 : formatLeft(left).length + 2));
}

function queriesOf({ done, failed, waiting, more }: StageProgress): string {
  const ended = done + failed;
  return `${formatCount(ended)} of ${formatCount(ended + waiting)}${more ? '+' : ''}`;
}

type Mood = (text: string) => string;

function moodOf({ outcome, failed }: StageProgress, paint: Paint): Mood {
  if (outcome === 'failed') return paint.red;
  return failed > 0 ? paint.amber : paint.green;
}

function worstMood(stages: readonly StageProgress[], paint: Paint): Mood {
  const moods = stages.map((stage) => moodOf(stage, paint));
  return [paint.red, paint.amber].find((mood) => moods.includes(mood)) ?? paint.green;
}

/** Received, found and unknown parts. */
function bar({ done, found }: Shares, width: number, mood: Mood, paint: Paint): string {
  const full = Math.floor(done * width);
  const known = Math.min(width - full, Math.round(found * width));
  return mood('█'.repeat(full)) + '░'.repeat(known) + paint.dim('·'.repeat(width - full - known));
}

/** Stages with waiting work first, in the flow's order. */
function busiest(stages: readonly StageProgress[], most: number): readonly StageProgress[] {
  const kept = new Set(stages.toSorted((one, other) => Math.sign(other.waiting) - Math.sign(one.waiting)).slice(0, most));
  return stages.filter((stage) => kept.has(stage));
}
