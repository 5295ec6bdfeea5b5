import type { FaultAction } from './FaultAction.ts';
import { changeTexts } from './changeTexts.ts';

const odd = 'NUL \0, lone \ud800 and \udc00, BOM \ufeff, 👩‍👩‍👧, \u2028\u2029, "quoted", \r\n=1+1';

/** Texts with all that a file format may stumble over: NUL, lone surrogates, BOM, emoji, odd line breaks. */
export function oddTexts(): FaultAction {
  return {
    play(exchange) {
      const { data, ...rest } = exchange.envelope();
      exchange.json({ ...rest, data: changeTexts(data, (text, key) => (/token|id$|url|link/.test(key) ? text : `${text} ${odd}`)) });
    },
  };
}
