import { formatDuration } from '../../flow/report/index.ts';
import type { TimeLeft } from './expectPages.ts';

/** `about 40 s left`; nothing where nothing is known. */
export function formatLeft(left: TimeLeft | undefined): string {
  return left === undefined ? '' : `${left.atLeast ? 'at least' : 'about'} ${formatSeconds(Math.max(1000, left.ms))} left`;
}

/** Whole seconds: tenths that change with each frame are only unrest. */
export function formatSeconds(ms: number): string {
  return ms < 59_500 ? `${Math.round(ms / 1000)} s` : formatDuration(ms);
}
