import type { IncomingHttpHeaders } from 'node:http';
import type { PriceSpec } from './Service.ts';

const isTold = (price: PriceSpec): price is { readonly header: string } => typeof price['header'] === 'string';

/** What a request of an operation costs. undefined: only its response says so. Without prices it costs nothing. */
export function requestPrice(price: PriceSpec | undefined, operation: string): number | undefined {
  if (price === undefined) return 0;
  return isTold(price) ? undefined : (price[operation] ?? price['default'] ?? 0);
}

/** What a response says that its request has cost, or what one without a page costs. undefined: as any request. */
export function paidFor(price: PriceSpec | undefined, headers: IncomingHttpHeaders, failed: boolean): number | undefined {
  if (price === undefined) return 0;
  if (!isTold(price)) return failed ? price['failed'] : undefined;
  const told = Number(headers[price.header.toLowerCase()] ?? Number.NaN);
  return Number.isFinite(told) && told >= 0 ? told : undefined;
}
