import type { FaultAction } from './FaultAction.ts';

export interface NotJsonOptions {
  /** What comes instead. @default the first half of the good answer */
  readonly text?: string | undefined;
}

/** A body that says it is JSON and isn't. */
export function notJson({ text }: NotJsonOptions): FaultAction {
  return {
    play(exchange) {
      const good = JSON.stringify(exchange.envelope());
      exchange.send(200, text ?? good.slice(0, good.length >> 1), { 'content-type': 'application/json' });
    },
  };
}
