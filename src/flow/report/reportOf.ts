import type { FlowSummary } from '../run/FlowProgress.ts';
import type { ReportData, RunRecord } from './ReportData.ts';

/** What the report of a run says: its summary, and what was recorded on the way. */
export function reportOf(summary: FlowSummary, record: RunRecord): ReportData {
  const { name, startedAt, endedAt, outcome, because, requests, retries, throttled, stages, files } = summary;
  return {
    name,
    startedAt,
    endedAt,
    outcome,
    because,
    requests,
    retries,
    throttled,
    stages: stages.map(({ stage, call, each, unitsDone, unitsWaiting, unitsFailed, pages, rows, completeness, to }) => ({
      name: stage,
      call,
      each,
      done: unitsDone,
      waiting: unitsWaiting,
      failed: unitsFailed,
      pages,
      rows,
      completeness,
      to,
    })),
    files,
    record,
  };
}
