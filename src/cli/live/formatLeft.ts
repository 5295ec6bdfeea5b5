import { formatDuration } from '../../flow/report/index.ts';
import type { TimeLeft } from './expectPages.ts';

/** `about 40 s left`, or '' if it isn't known. */
export function formatLeft(left: TimeLeft | undefined): string {
  return left === undefined ? '' : `${left.atLeast ? 'at least' : 'about'} ${formatSeconds(Math.max(1000, left.ms))} left`;
}

/** Rounds to whole seconds, because tenths that change with each frame distract. */
export function formatSeconds(ms: number): string {
  return ms < 59_500 ? `${Math.round(ms / 1000)} s` : formatDuration(ms);
}
