import { formatCount, formatDuration, formatSeconds, leftText, type RunView, shownAttempts, type Shares } from '../flow/report/index.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';
import { type Paint, plain } from './text/paintFor.ts';
import { fitText, textWidth, padText } from './text/textWidth.ts';
import type { StageProgress } from '../flow/index.ts';

const maxKinds = 3; // kinds of failures to show. The summary and the report have all

/**
 * A run as lines for a terminal of that size. None is wider, there are fewer than its rows, and they contain no foreign
 * escape sequences.
 */
export function renderLive(view: RunView, columns: number, rows: number, paint: Paint = plain): readonly string[] {
  const width = Math.max(10, columns - 1); // a full last column would wrap on some terminals
  const failures = failureLines(view, Math.min(maxKinds, Math.max(0, rows - 8)), paint);
  const now = view.ended ? [] : nowLines(view, paint);
  const around = 4 + failures.length + now.length;
  const lines = [heading(view, width, paint), ...stageLines(view, width, Math.max(1, rows - 1 - around), paint), figures(view, paint)];
  return [...lines, ...failures, ...now].map((line) => fitText(line, width));
}

function heading({ name, resumed, elapsedMs, ended, stopping }: RunView, width: number, paint: Paint): string {
  const left = `${paint.bold(escapeForTerminal(name))}  ${formatSeconds(elapsedMs)}${resumed ? ', resumed' : ''}`;
  const hint = 'Ctrl-C pauses';
  const space = width - textWidth(left) - hint.length;
  return ended || stopping || space < 2 ? left : `${left}${' '.repeat(space)}${paint.dim(hint)}`;
}

function figures({ requests, maxRequests, requestsPerSecond, failedAttempts, rate, ended }: RunView, paint: Paint): string {
  const budget = maxRequests === undefined ? '' : ` of ${formatCount(maxRequests)}`;
  const limit = rate === undefined ? '' : ` (at most ${formatCount(rate)}/s)`;
  const pace = ended ? '' : `, ${formatCount(requestsPerSecond)}/s${limit}`;
  const failed = shownAttempts(failedAttempts, formatCount).map((text) => `, ${paint.amber(text)}`);
  return `${formatCount(requests)}${budget} ${budget === '' && requests === 1 ? 'request' : 'requests'}${pace}${failed.join('')}`;
}

function nowLines({ stopping, pausedMs }: RunView, paint: Paint): readonly string[] {
  if (stopping) return [paint.amber('Stopping: the rows that arrived are being written. Ctrl-C again exits at once.')];
  return pausedMs > 0 ? [paint.amber(`Paused for ${formatDuration(pausedMs)}: the service asked for it.`)] : [];
}

function failureLines({ failures }: RunView, limit: number, paint: Paint): readonly string[] {
  const lines = failures
    .slice(0, limit)
    .map(({ stages, kind, count }) => `${paint.red(`${formatCount(count)} ×`)} ${escapeForTerminal(`${stages.join(', ')}: ${kind}`)}`);
  const more = failures.length - lines.length;
  return more > 0 && limit > 0 ? [...lines, `and ${formatCount(more)} more`] : lines;
}

const minWidth = 60; // narrower terminals have room for figures only
const barShare = 4; // a quarter of the width

/** One line per stage, and one for the whole run with the time left. */
function stageLines(view: RunView, width: number, limit: number, paint: Paint): readonly string[] {
  const shown = view.stages.length <= limit ? view.stages : busiest(view.stages, limit - 1);
  const names = shown.map(({ name }) => escapeForTerminal(name));
  // Names and bars take the same room in each frame. Otherwise what is filled would move back while the figures beside it grow.
  const longestName = longest([...view.stages.map(({ name }) => escapeForTerminal(name)), 'total']);
  const nameWidth = Math.min(longestName, Math.max(8, Math.floor(width / 4)));
  const barWidth = width < minWidth ? 0 : Math.floor(width / barShare);
  const room = width - nameWidth - 2 - (barWidth === 0 ? 0 : barWidth + 2);
  const queries = aligned(shown.map(queriesOf));
  const rows = aligned(shown.map((stage) => formatCount(stage.rows)));
  const found = shown.map((stage) => (stage.found === undefined ? '' : `  ${formatCount(stage.found)} found`));
  const failed = shown.map((stage) => (stage.failed > 0 ? `  ${paint.red(`${formatCount(stage.failed)} failed`)}` : ''));
  const inWords = shown.map((_, index) => `${queries[index]} queries  ${rows[index]} rows${found[index]}${failed[index]}`);
  const texts =
    longest(inWords) <= room ? inWords : shown.map((_, index) => `${queries[index]}  ${rows[index]}${found[index]}${failed[index]}`);
  const line = (name: string, shares: Shares, mood: Mood, text: string): string =>
    [padText(name, nameWidth), ...(barWidth > 0 ? [bar(shares, barWidth, mood, paint)] : []), text].join('  ');
  const hidden = view.stages.length - shown.length;
  return [
    ...shown.map((stage, index) => line(names[index]!, view.bars[view.stages.indexOf(stage)]!, moodOf(stage, paint), texts[index]!)),
    ...(hidden > 0 ? [`and ${formatCount(hidden)} more stages`] : []),
    line('total', view.total, worstMood(view.stages, paint), totalOf(view)),
  ];
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}

/** Pads all texts on the left to the width of the longest. */
function aligned(texts: readonly string[]): readonly string[] {
  const width = longest(texts);
  return texts.map((text) => padText(text, width, 'right'));
}

function totalOf({ stages, left, ended }: RunView): string {
  const rows = `${formatCount(stages.reduce((sum, stage) => sum + stage.rows, 0))} rows`;
  return ended || left === undefined ? rows : `${rows}, ${leftText(left)}`;
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
function busiest(stages: readonly StageProgress[], limit: number): readonly StageProgress[] {
  const kept = new Set(stages.toSorted((one, other) => Math.sign(other.waiting) - Math.sign(one.waiting)).slice(0, limit));
  return stages.filter((stage) => kept.has(stage));
}

/** A run as one line of a log. */
export function renderLine(view: RunView): string {
  const { elapsedMs, left, requests, maxRequests, requestsPerSecond, rate, failedAttempts, pausedMs, stages } = view;
  const budget = maxRequests === undefined ? '' : ` of ${formatCount(maxRequests)}`;
  const limit = rate === undefined ? '' : `, at most ${formatCount(rate)}/s`;
  const each = stages.map((stage) => {
    const ended = stage.done + stage.failed;
    const failed = stage.failed > 0 ? ` (${formatCount(stage.failed)} failed)` : '';
    return (
      `${escapeForTerminal(stage.name)} ${formatCount(ended)} of ` +
      `${formatCount(ended + stage.waiting)}${stage.more ? '+' : ''}${failed}, ${formatCount(stage.rows)} rows`
    );
  });
  const time = [formatSeconds(elapsedMs), leftText(left)].filter((text) => text !== '').join(', ');
  const pace = [`${formatCount(requestsPerSecond)}/s${limit}`, ...shownAttempts(failedAttempts, formatCount)].join(', ');
  const pause = pausedMs > 0 ? `, paused for ${formatDuration(pausedMs)}` : '';
  return (
    `${time}: ${formatCount(requests)}${budget} ${budget === '' && requests === 1 ? 'request' : 'requests'} (${pace}${pause}); ` +
    each.join('; ')
  );
}
