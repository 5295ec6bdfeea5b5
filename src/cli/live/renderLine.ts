import { formatCount, formatDuration } from '../../flow/report/index.ts';
import { escapeForTerminal } from '../text/escapeForTerminal.ts';
import type { RunView } from './RunView.ts';

/** A run as one line of a log. */
export function renderLine(view: RunView): string {
  const { elapsedMs, leftMs, requests, maxRequests, requestsPerSecond, rate, throttled, stages } = view;
  const left = leftMs === undefined ? '' : `, about ${formatDuration(Math.max(1000, leftMs))} left`;
  const budget = maxRequests === undefined ? '' : ` of ${formatCount(maxRequests)}`;
  const limit = rate === undefined ? '' : `, limit ${formatCount(rate)}/s`;
  const each = stages.map((stage) => {
    const ended = stage.unitsDone + stage.unitsFailed;
    const failed = stage.unitsFailed > 0 ? ` (${formatCount(stage.unitsFailed)} failed)` : '';
    return `${escapeForTerminal(stage.stage)} ${formatCount(ended)} of ${formatCount(ended + stage.unitsWaiting)}${stage.more ? '+' : ''}${failed}, ${formatCount(stage.rows)} rows`;
  });
  return `${formatDuration(elapsedMs)}${left}: ${formatCount(requests)}${budget} requests (${formatCount(requestsPerSecond)}/s${limit}, ${formatCount(throttled)} × 429); ${each.join('; ')}`;
}
