import { join } from 'node:path';
import type { FlowSummary } from '../flow/index.ts';
import { formatBytes, formatCount, headlineOf, sandboxNote, nextSteps, outcomes, type NextStep } from '../flow/report/index.ts';
import { sayFlags } from './describeError.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';
import { type Paint, plain } from './text/paintFor.ts';
import { renderTable } from './text/renderTable.ts';
import { textWidth, wrapText } from './text/textWidth.ts';

interface RenderSummaryOptions {
  readonly outDir: string;
  /** The command that was typed, without `--fresh` and `--failures`, to suggest the next one. */
  readonly command: string;
  /** The files beside the data that exist. */
  readonly others: readonly string[];
  /** @default no colours */
  readonly paint?: Paint;
  /** The width of the terminal. @default none: lines are as long as they are */
  readonly columns?: number | undefined;
}

/** How a run ended, what to do next, and where the files are. */
export function renderSummary(
  summary: FlowSummary,
  { outDir, command, others, paint = plain, columns = Infinity }: RenderSummaryOptions,
): string {
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
    ...(summary.tables ?? []).flatMap((table) => [...tableLines(table, columns), '']),
    wrapText(paintOutcome(summary, paint)(escapeForTerminal(headlineOf(summary))), 80),
    ...sandboxNote(command),
    ...nextSteps(summary, command).map((step) => stepLines(step, columns)),
    '',
    ...(files.length + tables.length === 0 ? [] : [renderTable([['FILE', 'ROWS', 'SIZE'], ...files, ...tables]), '']),
    ...others.filter((path) => !summary.files.some((file) => file.path === path)).map((path) => escapeForTerminal(join(outDir, path))),
    '',
  ].join('\n');
}

const widths = [40, 30, 20, 12];

/** A headline's table, each cell in one line, and short enough for the terminal. */
function tableLines({ title, columns, rows, more }: NonNullable<FlowSummary['tables']>[number], width: number): readonly string[] {
  if (rows.length === 0) return [escapeForTerminal(title)];
  const drawn = (most: number): string => renderTable([columns, ...rows.map((row) => row.map((cell) => shortCell(cell, most)))]);
  const fits = (text: string): boolean => text.split('\n').every((line) => textWidth(line) <= width);
  const table = widths.map(drawn).find(fits) ?? drawn(widths.at(-1)!);
  return [escapeForTerminal(title), table, ...(more === 0 ? [] : [`and ${formatCount(more)} more`])];
}

function shortCell(cell: string, most: number): string {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/.exec(cell) ?? [];
  if (day !== undefined) return `${day} ${minute}`;
  const letters = Array.from(cell);
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : cell;
}

/** A step between its words, and its command in one line, which can be copied. */
function stepLines({ text, command }: NextStep, columns: number): string {
  const said = sayFlags(text).split('\n').map(escapeForTerminal).join('\n');
  if (command === undefined) return wrapText(said, columns);
  const typed = escapeForTerminal(command);
  return textWidth(said) + 1 + textWidth(typed) <= columns ? `${said} ${typed}` : `${wrapText(said, columns)}\n  ${typed}`;
}

/** Green, amber or red, depending on how it ended. */
function paintOutcome({ outcome }: FlowSummary, paint: Paint): (text: string) => string {
  if (outcome === 'failed') return paint.red;
  return outcomes[outcome].isDone ? paint.green : paint.amber;
}
