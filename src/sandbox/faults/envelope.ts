import type { PlayFault } from '../SandboxCall.ts';

export interface NotJsonOptions {
  /** The body to send instead. @default the first half of the correct response */
  readonly text?: string | undefined;
}

/** A body that says it is JSON and isn't. */
export function notJson({ text }: NotJsonOptions): PlayFault {
  return (exchange) => {
    const good = JSON.stringify(exchange.correct());
    exchange.send(200, text ?? good.slice(0, good.length >> 1), { 'content-type': 'application/json' });
  };
}

export interface NoEnvelopeOptions {
  /** The data alone, a list of it, or null; or the envelope with null for its data. @default 'bare' */
  readonly as?: 'bare' | 'list' | 'null' | 'nullData' | undefined;
}

/** JSON, but without the usual envelope of a response. */
export function noEnvelope({ as = 'bare' }: NoEnvelopeOptions): PlayFault {
  return (exchange) => {
    const data = exchange.data();
    exchange.json({ bare: data, list: [data], null: null, nullData: exchange.wrap(null) }[as]);
  };
}

export interface EnvelopeCodeOptions {
  /** @default 500 */
  readonly code?: number | undefined;
  /** @default 'internal error' */
  readonly message?: string | undefined;
}

/** HTTP says 200, the envelope says something else. */
export function envelopeCode({ code = 500, message = 'internal error' }: EnvelopeCodeOptions): PlayFault {
  return (exchange) => exchange.json(exchange.wrap(null, code, message));
}
