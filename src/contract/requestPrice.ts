import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../operators/kit/ownValue.ts';
import { parsedJson } from '../../operators/kit/parsedJson.ts';
import { valueAt } from '../../operators/kit/path.ts';
import { headerIn } from './request.ts';
import type { AccountSpec, PriceSpec } from './Service.ts';

/** What a request of an operation costs. undefined: only its response says so. Without prices it costs nothing. */
export function requestPrice(price: PriceSpec | undefined, operation: string): number | undefined {
  if (price === undefined) return 0;
  const known = (price[operation] ?? price['default']) as number | undefined;
  return known ?? (price.at === undefined ? 0 : undefined);
}

/** Whether somebody pays for the requests of an operation, as far as prices say. */
export function isPaid(price: PriceSpec | undefined, operation: string): boolean {
  return price !== undefined && (price[operation] ?? price['default']) !== 0;
}

/** A response, as far as it may tell a price. */
interface Paid {
  readonly headers: IncomingHttpHeaders;
  /** Decoded. @default it tells nothing */
  readonly body?: Buffer | undefined;
}

/** What a response says that its request has cost, or what one without a page costs. undefined: as any request. */
export function paidFor(price: PriceSpec | undefined, { headers, body }: Paid, failed: boolean): number | undefined {
  if (price === undefined) return 0;
  const told = price.at === undefined ? Number.NaN : toldAt(price.at, headers, body);
  if (told >= 0 && Number.isFinite(told)) return told;
  return failed ? (price['failed'] as number | undefined) : undefined;
}

function toldAt(at: string, headers: IncomingHttpHeaders, body: Buffer | undefined): number {
  const header = headerIn(at);
  if (header !== undefined) return Number(headers[header] ?? Number.NaN);
  const value = body === undefined ? undefined : parsedJson(body.toString());
  return isObject(value) ? Number(valueAt(value, at) ?? Number.NaN) : Number.NaN;
}

/** How much is left, as the data of an account says. undefined: it doesn't. */
export function leftIn({ left, used }: AccountSpec, data: unknown): number | undefined {
  if (left === undefined || !isObject(data)) return undefined;
  const number = Number(valueAt(data, left) ?? Number.NaN) - (used === undefined ? 0 : Number(valueAt(data, used) ?? Number.NaN));
  return Number.isFinite(number) ? number : undefined;
}
