import type { FaultAction } from './FaultAction.ts';
import { changeTexts } from './changeTexts.ts';

/** Identifiers made of digits come as JSON numbers of 64 bits, which `JSON.parse` rounds. */
export function bigNumbers(): FaultAction {
  return {
    play(exchange) {
      const marked = changeTexts(exchange.envelope(), (text, key) => (key.endsWith('id') && /^\d{16,}$/.test(text) ? `#${text}#` : text));
      const text = JSON.stringify(marked).replaceAll(/"#(\d+)#"/g, '$1');
      exchange.send(200, text, { 'content-type': 'application/json' });
    },
  };
}
