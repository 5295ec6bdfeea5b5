import { isMoment, type ColumnKind } from './TableColumn.ts';
import { csvCell } from './csvCells.ts';
import { jsonText } from '../jsonlEncoder.ts';
import type { DestinationColumn } from '../destination/RowDestination.ts';
import { RowReader, Unlisted } from './RowReader.ts';

/** The limits of a format. */
export interface FormatLimits {
  /** Matches the characters that its text can't hold. They become U+FFFD. */
  readonly lost: RegExp;
  /** Whether JSON can't hold half a surrogate pair either. */
  readonly strictJson: boolean;
}

/** The escape that `JSON.stringify` writes for half a surrogate pair. */
const escapedHalfPair = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** Changes values so that a format can hold them, and counts those that lost something. */
export class TextRepair {
  /** Values in which something became U+FFFD. */
  replaced = 0;
  readonly #limits: FormatLimits;

  constructor(limits: FormatLimits) {
    this.#limits = limits;
  }

  /** The value for a column of this kind. */
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

export const extraColumn: DestinationColumn = {
  header: '_extra',
  keys: [],
  type: 'json',
  about: 'fields that have no column of their own',
};

/** Returns a function that reads the values of a row from a line of JSON, in the order of the columns. */
export function valueReader(columns: readonly DestinationColumn[], repair?: TextRepair): (line: string) => readonly unknown[] {
  const extra = columns.findIndex(({ keys, value }) => keys.length === 0 && value === undefined);
  const unlisted = new Unlisted({ extra: true });
  const reader = new RowReader(columns, extra < 0 ? () => undefined : (path, value) => unlisted.add(path, value));
  return (line) => {
    const values = [...reader.read(JSON.parse(line))];
    if (extra >= 0) values[extra] = unlisted.takeExtra();
    return repair === undefined ? values : values.map((value, nth) => repair.fit(value, columns[nth]!.type));
  };
}
