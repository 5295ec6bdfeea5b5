import { join } from 'node:path';
import type { FlowSummary } from '../flow/index.ts';
import { formatBytes, formatCount, formatDuration } from '../flow/report/index.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';
import { renderTable } from './text/renderTable.ts';

/** What a run came to, for people. */
export function renderSummary(summary: FlowSummary, outDir: string): string {
  const { name, outcome, already, because, startedAt, endedAt, requests, retries, throttled, stages, files } = summary;
  const failed = stages.reduce((sum, stage) => sum + stage.unitsFailed, 0);
  const counts = [
    `${formatCount(requests)} requests`,
    ...(retries > 0 ? [`${formatCount(retries)} of them retries`] : []),
    ...(throttled > 0 ? [`${formatCount(throttled)} × 429`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} units failed`] : []),
  ];
  const head = already
    ? `${name}: finished before (${outcome}), nothing was asked for`
    : `${name}: ${outcome} after ${formatDuration(endedAt - startedAt)}; ${counts.join(', ')}`;
  const rows = files.map((file) => [join(outDir, file.path), file.rows, formatBytes(file.bytes)]);
  const others = [join(outDir, 'manifest.json'), join(outDir, 'report.html'), ...(failed > 0 ? [join(outDir, 'failures.jsonl')] : [])];
  return [
    escapeForTerminal(head),
    ...(because === undefined ? [] : [because.split('\n').map(escapeForTerminal).join('\n')]),
    '',
    ...(rows.length === 0 ? [] : [renderTable([['FILE', 'ROWS', 'SIZE'], ...rows]), '']),
    ...others.map(escapeForTerminal),
    '',
  ].join('\n');
}
