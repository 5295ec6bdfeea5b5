import type { StageProgress } from '../run/FlowProgress.ts';
import { outcomes, type Outcome } from '../run/outcomes.ts';
import { counterList, type CounterName } from '../core/stageCounters.ts';
import type { FlowBox } from './drawFlow.ts';
import { countOf, escapeHtml, formatCount } from './format.ts';

/** A stage as a box of the drawing. `isRunning`: work that is left is under way. */
export function stageBox(stage: StageProgress, isRunning: boolean = false): FlowBox {
  const ended = stage.done + stage.failed;
  const failed = stage.failed > 0 ? `, ${formatCount(stage.failed)} failed` : '';
  const found = stage.found === undefined ? '' : `, ${formatCount(stage.found)} found`;
  const done = stage.waiting > 0 ? `${formatCount(ended)} of ` : '';
  return {
    name: stage.name,
    call: stage.call,
    each: stage.each,
    lines: [
      `${done}${countOf(ended + stage.waiting, 'query', 'queries')}${failed}${found}`,
      `${countOf(stage.pages, 'page')}, ${countOf(stage.rows, 'row')}`,
      ...stage.to.map((path) => `→ ${path}`),
    ],
    mood: moodOfStage(stage, isRunning),
  };
}

/** The CSS class for the state of a stage. `isRunning`: work that is left is under way. */
export function moodOfStage({ outcome }: Pick<StageProgress, 'outcome'>, isRunning: boolean): NonNullable<FlowBox['mood']> {
  return isRunning && outcome === 'interrupted' ? 'now' : outcomes[outcome].mood;
}

/** The counters of each stage, as HTML. `isRunning`: work that is left is under way. */
export function stageTable(stages: readonly StageProgress[], isRunning: boolean = false): string {
  const columns = counterList.filter(({ column }) => column !== undefined);
  const rows = stages.map((stage) => {
    const { name, call, each, outcome } = stage;
    const counts: { readonly [N in CounterName]?: number | undefined } = stage;
    const over = each.length === 0 ? '' : ` <span class="mute">for each of ${each.map(escapeHtml).join(', ')}</span>`;
    return {
      about: `${escapeHtml(name)}${over}`,
      cells: [call, ...columns.map((counter) => counts[counter.name] ?? 0)],
      last: `<td class="nowrap ${moodOfStage(stage, isRunning)}">${isRunning && outcome === 'interrupted' ? 'running' : outcome}</td>`,
    };
  });
  return figureTable('stage', ['operation', ...columns.map(({ column }) => column!)], rows);
}

/** What the outcomes of these stages mean, as HTML. */
export function outcomeMeanings(stages: readonly StageProgress[]): string {
  const present = Object.entries(outcomes).filter(([name]) => name !== 'complete' && stages.some(({ outcome }) => outcome === name));
  return present.map(([outcome, { means }]) => `<p class="mute"><b>${outcome}</b>: ${means}</p>`).join('');
}

/** Whether a run that ended is complete, in a sentence. */
export function completeness(outcome: Outcome, stages: readonly StageProgress[]): string {
  if (outcome === 'complete' && stages.every(({ rows }) => rows === 0))
    return 'It is complete, but has no rows: no query failed, and none gave a row that the flow keeps.';
  const word = outcome === 'complete' ? 'It is complete' : `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}`;
  return `${word}: ${outcomes[outcome].means}`;
}

/** A row of the table: what it is about, and a cell for each heading. */
interface FigureRow {
  /** As HTML. */
  readonly about: string;
  /** Figures, or words. */
  readonly cells: readonly (number | string)[];
  /** A cell without a heading, as HTML. */
  readonly last?: string;
}

/** Figures of what `first` names, with their headings above, or on a phone beside each figure. */
export function figureTable(first: string, heads: readonly string[], rows: readonly FigureRow[]): string {
  const isFigure = (column: number): boolean => rows.every(({ cells }) => typeof cells[column] === 'number');
  const head = heads.map((text, column) => `<th scope="col"${isFigure(column) ? ' class="n"' : ''}>${text}</th>`).join('');
  const body = rows.map(({ about, cells, last = '' }) => {
    const figures = cells.map((cell, column) => {
      const [kind, text] = typeof cell === 'number' ? ['n', formatCount(cell)] : ['nowrap', escapeHtml(cell)];
      return `<td class="${kind}" data-head="${heads[column]}">${text}</td>`;
    });
    return `<tr><th scope="row">${about}</th>${figures.join('')}${last}</tr>`;
  });
  const rest = rows.some(({ last }) => last !== undefined) ? '<td></td>' : '';
  return `<table><thead><tr><th scope="col">${first}</th>${head}${rest}</tr></thead><tbody>${body.join('\n')}</tbody></table>`;
}
