import { formatCount, formatDuration } from '../../flow/report/index.ts';
import { escapeForTerminal } from '../text/escapeForTerminal.ts';
import { type Paint, plain } from '../text/paintFor.ts';
import { fitText, textWidth } from '../text/textWidth.ts';
import { formatSeconds } from './renderLine.ts';
import type { RunView } from './RunView.ts';
import { stageLines } from './stageLines.ts';

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

function failureLines({ failures }: RunView, limit: number, paint: Paint): readonly string[] {
  const lines = failures
    .slice(0, limit)
    .map(({ stages, kind, count }) => `${paint.red(`${formatCount(count)} ×`)} ${escapeForTerminal(`${stages.join(', ')}: ${kind}`)}`);
  const more = failures.length - lines.length;
  return more > 0 && limit > 0 ? [...lines, `and ${formatCount(more)} more`] : lines;
}
