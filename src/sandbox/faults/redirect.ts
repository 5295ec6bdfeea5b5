import type { FaultAction } from './FaultAction.ts';

export interface RedirectOptions {
  /** @default 302 */
  readonly status?: number | undefined;
  /** @default 'http://elsewhere.example/' */
  readonly to?: string | undefined;
}

/** Sends the client elsewhere. */
export function redirect({ status = 302, to = 'http://elsewhere.example/' }: RedirectOptions): FaultAction {
  return { play: (exchange) => exchange.send(status, '', { location: to }) };
}
