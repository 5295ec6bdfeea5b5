import { join } from 'node:path';
import type { FlowSummary } from '../flow/index.ts';
import { formatBytes, headlineOf, isDone, nextSteps } from '../flow/report/index.ts';
import { sayFlags } from './describeError.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';
import { type Paint, plain } from './text/paintFor.ts';
import { renderTable } from './text/renderTable.ts';
import { wrapText } from './text/textWidth.ts';

export interface RenderSummaryOptions {
  readonly outDir: string;
  /** The command that was typed, without `--fresh` and `--failures`, to suggest the next one. */
  readonly command: string;
  /** The files beside the data that exist. */
  readonly others: readonly string[];
  /** @default no colours */
  readonly paint?: Paint;
}

/** How a run ended, what to do next, and where the files are. */
export function renderSummary(summary: FlowSummary, { outDir, command, others, paint = plain }: RenderSummaryOptions): string {
  const files = summary.files.flatMap(({ path, sha256, rows, bytes }) => {
    const onDisk = join(outDir, sha256 === undefined ? `${path}.part` : path);
    const tables = summary.stages.filter(({ to }) => to.includes(path));
    if (tables.length < 2) return [[onDisk, rows, formatBytes(bytes)]];
    return [[onDisk, '', formatBytes(bytes)], ...tables.map((stage) => [`  ${stage.name}`, stage.rows, ''])];
  });
  const tables = summary.stages.flatMap(({ rows, loads = [] }) =>
    loads.map(({ to, waiting, rejected }) => [to, rows - rejected, waiting === 0 ? '' : `${formatBytes(waiting)} to load`]),
  );
  return [
    wrapText(paintOutcome(summary, paint)(escapeForTerminal(headlineOf(summary))), 80),
    ...nextSteps(summary, command)
      .flatMap(({ text, command }) => sayFlags(command === undefined ? text : `${text} ${command}`).split('\n'))
      .map(escapeForTerminal),
    '',
    ...(files.length + tables.length === 0 ? [] : [renderTable([['FILE', 'ROWS', 'SIZE'], ...files, ...tables]), '']),
    ...others.filter((path) => !summary.files.some((file) => file.path === path)).map((path) => escapeForTerminal(join(outDir, path))),
    '',
  ].join('\n');
}

/** Green, amber or red, depending on how it ended. */
function paintOutcome({ outcome }: FlowSummary, paint: Paint): (text: string) => string {
  if (outcome === 'failed') return paint.red;
  return isDone(outcome) ? paint.green : paint.amber;
}
