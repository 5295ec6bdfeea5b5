import { escapeForTerminal } from './escapeForTerminal.ts';
import { padText, textWidth, wrapText } from './textWidth.ts';

interface RenderTableOptions {
  /** The width that the last column is wrapped to. @default undefined: no wrapping */
  readonly columns?: number | undefined;
}

const minLastWidth = 24; // a narrower last column would be mostly line breaks

/** Cells in columns as wide as their content, two spaces apart. Columns of numbers are aligned to the right. */
export function renderTable(rows: readonly (readonly (string | number)[])[], options: RenderTableOptions = {}): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : escapeForTerminal(cell))));
  const widths: number[] = [];
  for (const row of texts) for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, textWidth(text));
  const right = widths.map((_, column) => rows.slice(1).some((row) => typeof row[column] === 'number'));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  const lastWidth = Math.max(minLastWidth, (options.columns ?? Infinity) - before);
  return texts
    .map((row) =>
      row
        .map((text, column) => {
          const width = widths[column] as number;
          if (column < widths.length - 1 || width <= lastWidth) {
            return padText(text, width, right[column] === true ? 'right' : 'left');
          }
          return wrapText(text, lastWidth, ' '.repeat(before));
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
