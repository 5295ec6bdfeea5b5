import type { FaultAction } from './FaultAction.ts';

export interface NoEnvelopeOptions {
  /** The data alone, a list of it, or null; or the envelope with null for its data. @default 'bare' */
  readonly as?: 'bare' | 'list' | 'null' | 'nullData' | undefined;
}

/** JSON, but not the envelope that every answer comes in. */
export function noEnvelope({ as = 'bare' }: NoEnvelopeOptions): FaultAction {
  return {
    play(exchange) {
      const { data } = exchange.envelope();
      exchange.json({ bare: data, list: [data], null: null, nullData: exchange.wrap(null) }[as]);
    },
  };
}
