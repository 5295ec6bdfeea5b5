import { formatCount, formatDuration } from '../flow/report/index.ts';
import type { AnyClient } from '../index.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';

/** What a client waits for, a line each. */
export function renderExplanation(waits: ReturnType<AnyClient['explain']>): string {
  if (waits.length === 0) return 'No request is in flight and none waits.';
  const lines = waits.map(({ operation, state, for: reason, count, ms, path }) => {
    const what = state === 'in flight' ? 'in flight' : `${count === 1 ? 'waits' : 'wait'}${reason === undefined ? '' : ` for ${reason}`}`;
    const on = path.length === 0 ? '' : ` (${path.join(' → ')})`;
    return `${operation}: ${formatCount(count)} ${what}, the oldest for ${formatDuration(ms)}${on}`;
  });
  return lines.map(escapeForTerminal).join('\n');
}
