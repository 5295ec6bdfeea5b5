import { isMoment, type ColumnKind } from './ColumnType.ts';
import { csvCell } from './csvCell.ts';
import { jsonText } from './jsonText.ts';

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
export class ValueFit {
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
