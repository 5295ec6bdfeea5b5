import { escapeHtml, formatCount } from './format.ts';

/** A row of the table: what it is about, a cell for each heading, and a last cell as HTML. */
interface FigureRow {
  /** As HTML. */
  readonly about: string;
  /** Figures, or words. */
  readonly cells: readonly (number | string)[];
  readonly last: string;
}

/** Figures of stages, with their headings above, or on a phone beside each figure. */
export function figureTable(heads: readonly string[], rows: readonly FigureRow[]): string {
  const isFigure = (column: number): boolean => rows.every(({ cells }) => typeof cells[column] === 'number');
  const head = heads.map((text, column) => `<th scope="col"${isFigure(column) ? ' class="n"' : ''}>${text}</th>`).join('');
  const body = rows.map(({ about, cells, last }) => {
    const figures = cells.map((cell, column) => {
      const [kind, text] = typeof cell === 'number' ? ['n', formatCount(cell)] : ['nowrap', escapeHtml(cell)];
      return `<td class="${kind}" data-head="${heads[column]}">${text}</td>`;
    });
    return `<tr><th scope="row">${about}</th>${figures.join('')}${last}</tr>`;
  });
  return `<div class="scroll stages" tabindex="0"><table><thead><tr><th scope="col">stage</th>${head}<th scope="col"></th></tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}
