import type { FlowSummary, Outcome } from '../run/FlowProgress.ts';
import { formatCount, formatDuration } from './format.ts';

const words: { readonly [O in Outcome]: string } = {
  complete: 'done',
  capped: 'done',
  short: 'done, but short,',
  doubtful: 'done, but doubtful,',
  failed: 'done, with failures,',
  interrupted: 'interrupted',
};

/** How a run ended, as one sentence. The terminal and the report show the same. */
export function headlineOf({ name, outcome, already, startedAt, endedAt, requests, retries, throttled }: FlowSummary): string {
  if (already) return `${name}: finished earlier; no request was sent`;
  const counts = [
    `${formatCount(requests)} requests`,
    ...(retries > 0 ? [`${formatCount(retries)} of them retries`] : []),
    ...(throttled > 0 ? [`${formatCount(throttled)} × 429`] : []),
  ];
  return `${name}: ${words[outcome]} after ${formatDuration(endedAt - startedAt)}; ${counts.join(', ')}`;
}
