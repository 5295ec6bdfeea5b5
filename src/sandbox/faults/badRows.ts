import { ChangedAnswer } from './ChangedAnswer.ts';
import type { FaultAction } from './FaultAction.ts';

export interface BadRowsOptions {
  /** What a bad row is: no object at all, or an object whose fields are of other types. @default 'null' */
  readonly as?: 'null' | 'text' | 'number' | 'list' | 'types' | undefined;
  /** Which rows of a page, counted from 1. @default the first */
  readonly rows?: readonly number[] | 'all' | undefined;
  /** Which list, as a dotted path in `data`. @default the operation's own */
  readonly list?: string | undefined;
}

/** Rows that aren't shaped like rows. */
export function badRows({ as = 'null', rows = [1], list }: BadRowsOptions): FaultAction {
  return {
    play(exchange) {
      const answer = new ChangedAnswer(exchange);
      const { holder, key } = answer.list(list);
      holder[key] = answer.rows(list).map((row, index) => (rows === 'all' || rows.includes(index + 1) ? bad(row, as) : row));
      answer.send();
    },
  };
}

function bad(row: unknown, as: NonNullable<BadRowsOptions['as']>): unknown {
  if (as !== 'types') return { null: null, text: '\u001b[2Jrow', number: 42, list: [row] }[as];
  return Object.fromEntries(
    Object.entries(row as object).map(([field, value]) => [field, typeof value === 'string' ? { text: value } : String(value)]),
  );
}
