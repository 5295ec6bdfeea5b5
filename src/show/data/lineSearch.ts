import { filterKinds } from './filterKinds.ts';
import { hasPlainKeys, jsonBytes } from './JsonLine.ts';
import { linePattern } from './linePattern.ts';
import { LineSearch, type LinePiece } from './LinePiece.ts';
import type { SourceColumn } from './TableSpec.ts';
import type { TableView } from './TableView.ts';

const colon = 58;

/** Searches for what each line that fits a view has, and many others don't have. undefined: there is no such thing. */
export function lineSearch(view: TableView, columns: readonly SourceColumn[]): LineSearch | undefined {
  const pattern = linePattern(view);
  if (pattern !== undefined) return new PatternSearch(pattern);
  for (const { kind, column, value } of view.filters) {
    const { holds } = filterKinds[kind];
    // A row may have no such key. Then it doesn't fit.
    if (!holds(null, value) && hasPlainKeys(columns[column]!)) return new ValueSearch(columns[column]!, (cell) => holds(cell, value));
  }
  return undefined;
}

class PatternSearch extends LineSearch {
  readonly #pattern: RegExp;

  constructor(pattern: RegExp) {
    super();
    this.#pattern = pattern;
  }

  protected find({ text }: LinePiece, from: number): number {
    this.#pattern.lastIndex = from;
    return this.#pattern.exec(text)?.index ?? -1;
  }
}

/** Searches for a column's last key with a value that fits. It may be a key of another object: this takes no look at the rest. */
class ValueSearch extends LineSearch {
  readonly #key: string;
  readonly #fits: (cell: string | null) => boolean;

  constructor({ keys }: SourceColumn, fits: (cell: string | null) => boolean) {
    super();
    this.#key = jsonBytes(keys.at(-1)!).slice(1); // without its first quote: quotes are everywhere
    this.#fits = fits;
  }

  protected find(piece: LinePiece, from: number): number {
    const { text } = piece;
    for (let at = text.indexOf(this.#key, from); at >= 0; at = text.indexOf(this.#key, at + 1)) {
      const middle = piece.afterSpace(at + this.#key.length);
      if (text.charCodeAt(middle) !== colon) continue;
      const cell = piece.cell(piece.afterSpace(middle + 1));
      if (cell === undefined || this.#fits(cell)) return at;
    }
    return -1;
  }
}
