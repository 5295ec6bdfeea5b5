import { join } from 'node:path';
import type { FlowSummary } from '../flow/index.ts';
import { formatBytes, formatCount, formatDuration } from '../flow/report/index.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';
import { renderTable } from './text/renderTable.ts';
import { wrapText } from './text/wrapText.ts';

export interface RenderSummaryOptions {
  readonly outDir: string;
  /** What was typed, to say what to type next: without `--fresh` and `--failures`. */
  readonly command: string;
  /** Of the files beside the data, those that are there. */
  readonly others: readonly string[];
}

/** What a run came to, and what to do next. */
export function renderSummary(summary: FlowSummary, { outDir, command, others }: RenderSummaryOptions): string {
  const files = summary.files.map((file) => [
    join(outDir, file.sha256 === undefined ? `${file.path}.part` : file.path),
    file.rows,
    formatBytes(file.bytes),
  ]);
  return [
    wrapText(escapeForTerminal(headline(summary)), 80),
    ...remarks(summary, command).map(escapeForTerminal),
    '',
    ...(files.length === 0 ? [] : [renderTable([['FILE', 'ROWS', 'SIZE'], ...files]), '']),
    ...others.filter((path) => !summary.files.some((file) => file.path === path)).map((path) => escapeForTerminal(join(outDir, path))),
    '',
  ].join('\n');
}

function headline({ name, outcome, already, startedAt, endedAt, requests, retries, throttled }: FlowSummary): string {
  if (already) return `${name}: finished before, so nothing was asked for`;
  const counts = [
    `${formatCount(requests)} requests`,
    ...(retries > 0 ? [`${formatCount(retries)} of them retries`] : []),
    ...(throttled > 0 ? [`${formatCount(throttled)} × 429`] : []),
  ];
  const ended = outcome === 'capped' ? 'done' : outcome === 'failed' ? 'done, with failures,' : outcome;
  return `${name}: ${ended} after ${formatDuration(endedAt - startedAt)}; ${counts.join(', ')}`;
}

function remarks({ outcome, already, because, stages }: FlowSummary, command: string): readonly string[] {
  const failed = stages.reduce((sum, stage) => sum + stage.failed, 0);
  const capped = stages.reduce((sum, stage) => sum + stage.capped, 0);
  const stopped = outcome === 'interrupted';
  return [
    ...(because === undefined || !stopped ? [] : because.split('\n')),
    ...(capped > 0 ? [`Limits of the flow cut ${formatCount(capped)} ${capped === 1 ? 'query' : 'queries'} short.`] : []),
    ...(failed > 0
      ? [`${formatCount(failed)} ${failed === 1 ? 'query' : 'queries'} failed.${stopped ? '' : ` To try again: ${command} --failures`}`]
      : []),
    ...(stopped ? [`To go on: ${command}`] : []),
    ...(already ? [`To start anew: ${command} --fresh`] : []),
  ];
}
