import { formatCount, formatDuration } from '../../flow/report/index.ts';
import { escapeForTerminal } from '../text/escapeForTerminal.ts';
import type { RunView } from './RunView.ts';
import type { TimeLeft } from '../../flow/report/index.ts';

/** A run as one line of a log. */
export function renderLine(view: RunView): string {
  const { elapsedMs, left, requests, maxRequests, requestsPerSecond, rate, throttled, pausedMs, stages } = view;
  const budget = maxRequests === undefined ? '' : ` of ${formatCount(maxRequests)}`;
  const limit = rate === undefined ? '' : `, limit ${formatCount(rate)}/s`;
  const each = stages.map((stage) => {
    const ended = stage.done + stage.failed;
    const failed = stage.failed > 0 ? ` (${formatCount(stage.failed)} failed)` : '';
    return `${escapeForTerminal(stage.name)} ${formatCount(ended)} of ${formatCount(ended + stage.waiting)}${stage.more ? '+' : ''}${failed}, ${formatCount(stage.rows)} rows`;
  });
  const time = [formatSeconds(elapsedMs), formatLeft(left)].filter((text) => text !== '').join(', ');
  const pace = `${formatCount(requestsPerSecond)}/s${limit}${throttled > 0 ? `, ${formatCount(throttled)} × 429` : ''}`;
  const pause = pausedMs > 0 ? `, paused for ${formatDuration(pausedMs)}` : '';
  return `${time}: ${formatCount(requests)}${budget} requests (${pace}${pause}); ${each.join('; ')}`;
}

/** `about 40 s left`, or '' if it isn't known. */
export function formatLeft(left: TimeLeft | undefined): string {
  return left === undefined ? '' : `${left.atLeast ? 'at least' : 'about'} ${formatSeconds(Math.max(1000, left.ms))} left`;
}

/** Rounds to whole seconds, because tenths that change with each frame distract. */
export function formatSeconds(ms: number): string {
  return ms < 59_500 ? `${Math.round(ms / 1000)} s` : formatDuration(ms);
}
