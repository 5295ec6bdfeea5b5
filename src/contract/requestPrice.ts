import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../operators/kit/ownValue.ts';
import { valueAt } from '../../operators/kit/path.ts';
import { kindOf } from '../../operators/walk/paging/pagingKinds.ts';
import type { Operation } from './Operation.ts';
import { headerIn } from './request.ts';
import type { AccountSpec, PriceSpec } from './Service.ts';

/**
 * The most that a request of an operation costs. undefined: only its response says so. Without prices it costs nothing, and neither does
 * asking for a job that was started.
 */
export function requestPrice(price: PriceSpec | undefined, operation: Operation, polls: boolean = false): number | undefined {
  if (price === undefined) return 0;
  const known = ownPrice(price, operation.name);
  if (known !== undefined) return polls ? 0 : known;
  const { pageSize } = kindOf(operation.spec.paging);
  if (price.row !== undefined) return pageSize === undefined ? undefined : price.row * pageSize;
  return price.at === undefined ? 0 : undefined;
}

/** What a page of so many rows costs, as far as prices say. */
export function pagePrice(price: PriceSpec | undefined, operation: Operation, rows: number): number {
  return price === undefined ? 0 : (ownPrice(price, operation.name) ?? (price.row === undefined ? 0 : price.row * rows));
}

/** Whether somebody pays for the requests of an operation, as far as prices say. */
export function isPaid(price: PriceSpec | undefined, operation: string): boolean {
  return price !== undefined && ownPrice(price, operation) !== 0;
}

function ownPrice(price: PriceSpec, operation: string): number | undefined {
  return (price[operation] ?? price['default']) as number | undefined;
}

/** What rows cost, where an operation is paid for by them. */
function rowsPrice(price: PriceSpec | undefined, { name }: Operation, rows: number): number | undefined {
  return price?.row === undefined || ownPrice(price, name) !== undefined ? undefined : price.row * rows;
}

/** A response, as far as it may tell a price. */
export interface Priced {
  readonly headers: IncomingHttpHeaders;
  /** What its body says at the place of a price. @default nothing */
  readonly cost?: unknown;
  /** How many rows it has. @default nobody knows */
  readonly rows?: (() => number) | undefined;
}

/** What a response says that its request has cost, or what one without a page costs. undefined: as any request. */
export function paidFor(price: PriceSpec | undefined, operation: Operation, response: Priced, failed: boolean): number | undefined {
  if (price === undefined) return 0;
  const { headers, cost, rows } = response;
  const header = headerIn(price.at ?? '');
  const told = Number((header === undefined ? cost : headers[header]) ?? Number.NaN);
  if (told >= 0 && Number.isFinite(told)) return told;
  if (failed) return price['failed'] as number | undefined;
  return rows === undefined || price.row === undefined ? undefined : rowsPrice(price, operation, rows());
}

/** Where the body of a response tells its price. undefined: it doesn't. */
export function costPlace(price: PriceSpec | undefined): string | undefined {
  return price?.at === undefined || headerIn(price.at) !== undefined ? undefined : price.at;
}

/** How much is left, as the data of an account says. undefined: it doesn't. */
export function leftIn({ left, used }: AccountSpec, data: unknown): number | undefined {
  if (left === undefined || !isObject(data)) return undefined;
  const number = Number(valueAt(data, left) ?? Number.NaN) - (used === undefined ? 0 : Number(valueAt(data, used) ?? Number.NaN));
  return Number.isFinite(number) ? number : undefined;
}
