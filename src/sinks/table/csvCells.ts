import type { TableOptions } from '../TableOptions.ts';
import { csvCell, hasOuterBlank, withoutFormula } from './csvCell.ts';

/** The rules of CSV: how values become cells, and cells a line. */
export interface CsvCells {
  readonly delimiter: string;
  readonly quote: string;
  readonly eol: string;
  /** The cell of null, and of what is absent. */
  readonly nothing: string;
  /** The text of a cell. `json`: text becomes JSON too. */
  cell(value: unknown, json: boolean): string;
  line(values: readonly unknown[], json: readonly boolean[]): string;
  /** The first line. A reader that finds out what separates cells looks there, so other separators are quoted. */
  heading(names: readonly string[]): string;
  /** Counts values with half a surrogate pair, which becomes U+FFFD in UTF-8. A text with NUL was counted by `cell`. */
  countTorn(values: readonly unknown[], json: readonly boolean[]): void;
  /** How many values have U+FFFD in place of a character that CSV can't hold. */
  readonly replaced: () => number;
}

export function csvCells({ delimiter = ',', quote = '"', eol = '\n', null: nothing = '', formulas = 'escape' }: TableOptions): CsvCells {
  /** A cell with one of these needs quotes. */
  const special = new RegExp(`[${quote}\\r\\n\\0\\u{${delimiter.codePointAt(0)!.toString(16)}}]`, 'u');
  let replaced = 0;

  const cell = (value: unknown, json: boolean): string => {
    if (value === undefined || value === null) return nothing;
    if (typeof value === 'number') return Number.isFinite(value) ? String(value) : nothing; // as in JSON
    if (typeof value === 'boolean') return value ? 'true' : 'false';
    const plain = plainOf(value, json);
    if (plain === '') return typeof value === 'string' ? quote + quote : nothing;
    const text = formulas === 'keep' || json ? plain : withoutFormula(plain);
    return special.test(text) || hasOuterBlank(text) || text === nothing || text === '\\.' ? quoted(text) : text;
  };
  const quoted = (text: string): string => {
    let whole = text;
    if (text.includes('\0')) {
      replaced += 1;
      whole = text.replaceAll('\0', '\uFFFD');
    }
    return quote + (whole.includes(quote) ? whole.replaceAll(quote, quote + quote) : whole) + quote;
  };

  return {
    delimiter,
    quote,
    eol,
    nothing,
    cell,
    line(values, json) {
      let line = cell(values[0], json[0] === true);
      for (let index = 1; index < values.length; index++) line += delimiter + cell(values[index], json[index] === true);
      return line + eol;
    },
    heading(names) {
      const cells = names.map((name) => {
        const plain = cell(name, false);
        return /[,;\t]/.test(plain) && !plain.startsWith(quote) ? quoted(plain) : plain;
      });
      return cells.join(delimiter) + eol;
    },
    countTorn(values, json) {
      const texts = values.map((value, column) => plainOf(value, json[column]!));
      replaced += texts.filter((text) => /\p{Surrogate}/u.test(text) && !text.includes('\0')).length;
    },
    replaced: () => replaced,
  };
}

/** The text of a cell, before it is quoted. */
function plainOf(value: unknown, json: boolean): string {
  return json && typeof value === 'string' ? JSON.stringify(value) : csvCell(value);
}
