import { setAt } from '../../../src/contract/envelopeOf.ts';
import type { PlayFault } from './ChangedResponse.ts';

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

export interface FailureOptions {
  /** Which of the service's `failures`, counted from 0. @default 0 */
  readonly rule?: number | undefined;
  /** How far away the time is that the rule reads from the response, if it does. @default 1000 */
  readonly untilMs?: number | undefined;
}

/** A failure that the service declares: everything that the rule looks for. */
export function failure({ rule = 0, untilMs = 1000 }: FailureOptions): PlayFault {
  return (exchange) => {
    const spec = exchange.service.failures?.[rule];
    if (spec === undefined) throw new Error(`${exchange.service.name} declares no failure ${rule}`);
    const { status = 200, at, is, until } = spec;
    const body = exchange.refusal(`failure ${rule}`, status) as object;
    const headers: { [name: string]: string } = {};
    const say = (place: string, value: unknown): void => {
      if (place.startsWith('header:')) headers[place.slice('header:'.length)] = String(value);
      else setAt(body, place.replaceAll('[]', '.0').split('.'), value);
    };
    if (at !== undefined) say(at, [is].flat()[0] ?? 'failed');
    if (until !== undefined) say(until, exchange.world.now() + untilMs);
    exchange.json(body, status, headers);
  };
}
