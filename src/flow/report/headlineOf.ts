import type { FlowSummary } from '../run/FlowProgress.ts';
import { outcomes } from '../run/outcomes.ts';
import { shownAttempts } from '../../errors/FailedAttempts.ts';
import { countOf, formatCount, formatDuration, formatMoney, sumInUnit } from './format.ts';

/** The name of a run and how it ended, for the terminal. */
export function headlineOf(summary: FlowSummary): string {
  return `${summary.name}: ${endingOf(summary)}`;
}

/** How a run ended, as one sentence. The terminal, the report and the page show the same. */
export function endingOf({
  outcome,
  first,
  already,
  startedAt,
  endedAt,
  requests,
  earlierRequests = 0,
  retries,
  polls = 0,
  failedAttempts = [],
  price,
  stages,
  services = [],
}: FlowSummary): string {
  if (already) return `finished earlier; no request was sent`;
  const counts = [
    `${countOf(requests, 'request')}${earlierRequests === 0 ? '' : ` (${formatCount(earlierRequests + requests)} with the runs before)`}`,
    ...(retries > 0 ? [`${formatCount(retries)} of them retries`] : []),
    ...(polls > 0 ? [`${formatCount(polls)} of them polls of jobs that were not done`] : []),
    ...shownAttempts(failedAttempts, formatCount),
  ];
  const failed = stages.reduce((sum, stage) => sum + stage.failed, 0);
  const failures = failed === 0 || outcome === 'interrupted' ? '' : ` ${countOf(failed, 'query', 'queries')} failed,`;
  const how =
    first === undefined
      ? `${outcomes[outcome].ending}${failures}`
      : `the first ${first.queries === 1 ? 'query' : `${formatCount(first.queries)} queries`} done`;
  const cost = price === undefined || requests === 0 ? '' : `. ${requests === 1 ? 'It' : 'They'} cost ${formatMoney(requests, price)}.`;
  const paid = services.map(
    ({ name, pages, cost: sum, unit }) => `${name} gave ${countOf(pages, 'page')}${sum === 0 ? '' : ` for ${sumInUnit(sum, unit)}`}`,
  );
  const shares = paid.length === 0 ? '' : `${cost === '' ? '. ' : ' '}${paid.join(', ')}`;
  return `${how} after ${formatDuration(endedAt - startedAt)}; ${counts.join(', ')}${cost}${shares}`;
}
