import type { StageProgress } from '../../flow/index.ts';
import { formatCount, formatDuration } from '../../flow/report/index.ts';
import { escapeForTerminal } from '../text/escapeForTerminal.ts';
import { fitText, padText, textWidth } from '../text/textWidth.ts';
import { formatLeft, formatSeconds } from './formatLeft.ts';
import type { RunView } from './RunView.ts';

/**
 * A run as lines for a terminal of that size: none is wider than it, there are fewer than it has rows, and nothing in them
 * commands it.
 */
export function renderLive(view: RunView, columns: number, rows: number): readonly string[] {
  const width = Math.max(10, columns - 1); // a full last column would wrap on some terminals
  const lines = [heading(view), ...stageLines(view.stages, width, Math.max(1, rows - 5)), figures(view)];
  if (view.ended) return lines.map((line) => fitText(line, width));
  if (view.stopping) lines.push('Stopping: what has come is being written. Ctrl-C again exits at once.');
  else if (view.pausedMs > 0) lines.push(`Paused for ${formatDuration(view.pausedMs)}: the service asked for it.`);
  return lines.map((line) => fitText(line, width));
}

function heading({ name, resumed, elapsedMs, left, ended }: RunView): string {
  const time = `${formatSeconds(elapsedMs)}${ended ? '' : formatLeft(left)}`;
  return `${escapeForTerminal(name)}: ${time}${resumed ? ', going on from before' : ''}`;
}

function figures({ requests, maxRequests, requestsPerSecond, throttled, rate }: RunView): string {
  const budget = maxRequests === undefined ? '' : ` of ${formatCount(maxRequests)}`;
  const limit = rate === undefined ? '' : ` (limit ${formatCount(rate)}/s)`;
  return `${formatCount(requests)}${budget} requests, ${formatCount(requestsPerSecond)}/s${limit}, ${formatCount(throttled)} × 429`;
}

function stageLines(stages: readonly StageProgress[], width: number, most: number): readonly string[] {
  const shown = stages.length <= most ? stages : busiest(stages, most - 1);
  const names = shown.map((stage) => escapeForTerminal(stage.name));
  const units = shown.map(unitsOf);
  const counts = shown.map((stage) => `${formatCount(stage.rows)} rows`);
  const failed = shown.map((stage) => (stage.failed > 0 ? `  ${formatCount(stage.failed)} failed` : ''));
  const longest = (texts: readonly string[]): number => Math.max(...texts.map(textWidth));
  const nameWidth = Math.min(longest(names), Math.max(8, Math.floor(width / 4)));
  const figuresWidth = longest(units) + 2 + longest(counts) + longest(failed);
  const barWidth = Math.min(30, width - nameWidth - figuresWidth - 4);
  const lines = shown.map((stage, index) =>
    [
      padText(names[index] as string, nameWidth),
      ...(barWidth >= 6 ? [bar(stage, barWidth)] : []),
      padText(units[index] as string, longest(units), 'right'),
      padText(counts[index] as string, longest(counts), 'right') + (failed[index] as string),
    ].join('  '),
  );
  return shown.length === stages.length ? lines : [...lines, `and ${stages.length - shown.length} more stages`];
}

function unitsOf(stage: StageProgress): string {
  const ended = stage.done + stage.failed;
  return `${formatCount(ended)} of ${formatCount(ended + stage.waiting)}${stage.more ? '+' : ''}`;
}

function bar(stage: StageProgress, width: number): string {
  const ended = stage.done + stage.failed;
  const share = ended === 0 ? 0 : ended / (ended + stage.waiting);
  const full = Math.floor(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** Those with work waiting first, in the flow's order. */
function busiest(stages: readonly StageProgress[], most: number): readonly StageProgress[] {
  const kept = new Set(stages.toSorted((one, other) => Math.sign(other.waiting) - Math.sign(one.waiting)).slice(0, most));
  return stages.filter((stage) => kept.has(stage));
}
