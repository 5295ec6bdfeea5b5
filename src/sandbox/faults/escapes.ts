import type { FaultAction } from './FaultAction.ts';
import { changeTexts } from './changeTexts.ts';

export interface EscapesOptions {
  /** In the rows of a good answer, or in the message of a refusal. @default 'data' */
  readonly in?: 'data' | 'message' | undefined;
}

const nasty = '\u001b]0;owned\u0007\u001b[2J\u001b[31m\u202e\u009b1m\r';

/** Texts that would take over a terminal: escape sequences, control and bidi characters. */
export function escapes({ in: where = 'data' }: EscapesOptions): FaultAction {
  return {
    play(exchange) {
      if (where === 'message') return exchange.json(exchange.wrap(null, 400, `bad request ${nasty}`), 400);
      const { data, ...rest } = exchange.envelope();
      exchange.json({ ...rest, data: changeTexts(data, (text, key) => (/token|id$|url|link/.test(key) ? text : nasty + text)) });
    },
  };
}
