/** The cells of a record, and the line where it begins, from 1. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/**
 * Reads CSV (RFC 4180) in pieces. Each piece ends after a line, which may be in the middle of a quoted cell. Blank lines and blanks
 * around quotes are skipped. Throws a SyntaxError that contains nothing of the text, which may be secret.
 */
export class CsvReader {
  /** The line where the record that is being read begins. */
  line = 1;
  readonly #delimiter: string;
  readonly #quote: string;
  readonly #plain: RegExp;
  readonly #blanks: RegExp;
  #cells: string[] = [];
  /** The beginning of a quoted cell that continues in the next piece. */
  #open: string | undefined;
  #lineEnds = 0;
  #isQuoted = false;

  constructor(delimiter: string = ',', quote: string = '"') {
    this.#delimiter = delimiter;
    this.#quote = quote;
    this.#plain = new RegExp(`[^\\u{${delimiter.codePointAt(0)!.toString(16)}}\\r\\n]*`, 'uy');
    this.#blanks = delimiter === '\t' ? / */y : /[ \t]*/y;
  }

  /** The records that end in this piece. */
  *read(piece: string): Generator<CsvRecord, void, undefined> {
    for (let at = 0; at < piece.length || this.#cells.length > 0;) {
      at = this.#cell(piece, at);
      if (this.#open !== undefined) return;
      if (piece.startsWith(this.#delimiter, at)) {
        at += this.#delimiter.length;
        continue;
      }
      at += piece.startsWith('\r\n', at) ? 2 : 1;
      const [cells, line] = [this.#cells, this.line];
      const isBlank = cells.length === 1 && !this.#isQuoted && cells[0]!.trim() === '';
      if (!isBlank) yield { cells, line };
      [this.#cells, this.#isQuoted, this.line, this.#lineEnds] = [[], false, line + 1 + this.#lineEnds, 0];
    }
  }

  /** Call it after the last piece. */
  end(): void {
    if (this.#open !== undefined) throw new SyntaxError('a quote is never closed');
  }

  /** Reads a cell. Returns where it ends. */
  #cell(piece: string, at: number): number {
    const start = this.#open === undefined ? endOf(this.#blanks, piece, at) : at;
    if (this.#open === undefined && !piece.startsWith(this.#quote, start)) {
      const end = endOf(this.#plain, piece, at);
      this.#cells.push(piece.slice(at, end));
      return end;
    }
    const size = this.#quote.length;
    const from = this.#open === undefined ? start + size : start;
    let end = piece.indexOf(this.#quote, from);
    while (end >= 0 && piece.startsWith(this.#quote, end + size)) end = piece.indexOf(this.#quote, end + 2 * size);
    const text = (this.#open ?? '') + piece.slice(from, end < 0 ? piece.length : end);
    this.#open = end < 0 ? text : undefined;
    if (end < 0) return piece.length;
    const next = endOf(this.#blanks, piece, end + size);
    if (next < piece.length && !/[\r\n]/.test(piece[next]!) && !piece.startsWith(this.#delimiter, next))
      throw new SyntaxError('text follows a closing quote');
    this.#cells.push(text.replaceAll(this.#quote + this.#quote, this.#quote));
    this.#lineEnds += text.match(/\r\n|\n|\r/g)?.length ?? 0;
    this.#isQuoted = true;
    return next;
  }
}

/** Where the match of a sticky pattern at `at` ends. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

/** The cells of the first record of a CSV text. */
export function readHeading(text: string, delimiter: string, quote?: string): readonly string[] {
  for (const { cells } of new CsvReader(delimiter, quote).read(text.replace(/^\uFEFF/, ''))) return cells;
  return [];
}
