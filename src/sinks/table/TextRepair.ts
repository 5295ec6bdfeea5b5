import { isMoment, type ColumnKind } from './TableColumn.ts';
import { csvCell } from './csvCells.ts';
import { jsonText } from './jsonText.ts';
import type { DestinationColumn } from '../destination/RowDestination.ts';
import { RowReader } from './RowReader.ts';
import { Unlisted } from './Unlisted.ts';

/** What a format can't hold. */
export interface FormatLimits {
  /** Finds what text can't hold. It becomes U+FFFD. */
  readonly lost: RegExp;
  /** Whether JSON can't hold half a surrogate pair either. */
  readonly strictJson: boolean;
}

/** `JSON.stringify` escapes nothing else beyond ASCII. */
const escapedHalfPair = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** Fits the values of rows into the columns of a file. */
export class TextRepair {
  /** Values in which something became U+FFFD. */
  replaced = 0;
  readonly #limits: FormatLimits;

  constructor(limits: FormatLimits) {
    this.#limits = limits;
  }

  /** The value for a column of this kind. In a column of text it is text. */
  fit(value: unknown, kind: ColumnKind): unknown {
    if (value === undefined || value === null) return value;
    if (kind === 'string') return this.#whole(csvCell(value), this.#limits.lost, '\uFFFD');
    if (value === '' && isMoment(kind)) return null;
    if (kind !== 'json' || !this.#limits.strictJson) return value;
    const text = jsonText(value)!;
    const whole = this.#whole(text, escapedHalfPair, '$1\uFFFD');
    return whole === text ? value : JSON.parse(whole);
  }

  #whole(text: string, lost: RegExp, instead: string): string {
    const whole = text.replace(lost, instead);
    if (whole !== text) this.replaced += 1;
    return whole;
  }
}

/** The column of fields that have no other, so that nothing is lost. */
export const extraColumn: DestinationColumn = {
  header: '_extra',
  keys: [],
  type: 'json',
  about: 'fields that have no column of their own',
};

/** Returns a function that reads a row from a line of JSON: its values in the order of the columns, made to fit if `fit` is given. */
export function valueReader(columns: readonly DestinationColumn[], fit?: TextRepair): (line: string) => readonly unknown[] {
  const extra = columns.findIndex(({ keys, value }) => keys.length === 0 && value === undefined);
  const unlisted = new Unlisted({ extra: true });
  const reader = new RowReader(columns, extra < 0 ? () => undefined : (path, value) => unlisted.add(path, value));
  return (line) => {
    const values = [...reader.read(JSON.parse(line))];
    if (extra >= 0) values[extra] = unlisted.takeExtra();
    return fit === undefined ? values : values.map((value, nth) => fit.fit(value, columns[nth]!.type));
  };
}
