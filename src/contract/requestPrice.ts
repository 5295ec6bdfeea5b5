import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '../../operators/kit/ownValue.ts';
import { valueAt } from '../../operators/kit/path.ts';
import { kindOf } from '../../operators/walk/paging/pagingKinds.ts';
import type { Operation } from './Operation.ts';
import { headerIn } from './pagingOf.ts';
import type { AccountSpec, PriceSpec } from './Service.ts';

/**
 * The most that a request of an operation costs. undefined: only its response says it. Without prices it costs nothing. `polls`: it only
 * asks for the result of a job, which costs nothing.
 */
export function requestPrice(price: PriceSpec | undefined, operation: Operation, polls: boolean = false): number | undefined {
  if (price === undefined) return 0;
  const known = ownPrice(price, operation.name);
  if (known !== undefined) return polls ? 0 : known;
  const { pageSize } = kindOf(operation.spec.paging);
  if (price.row !== undefined) return pageSize === undefined ? undefined : price.row * pageSize;
  return price.at === undefined ? 0 : undefined;
}

/** What a page with this many rows costs, as far as prices are known. */
export function pagePrice(price: PriceSpec | undefined, operation: Operation, rows: number): number {
  return price === undefined ? 0 : (ownPrice(price, operation.name) ?? (price.row === undefined ? 0 : price.row * rows));
}

/** Whether requests of an operation may cost something. */
export function isPaid(price: PriceSpec | undefined, operation: string): boolean {
  return price !== undefined && ownPrice(price, operation) !== 0;
}

function ownPrice(price: PriceSpec, operation: string): number | undefined {
  return (price[operation] ?? price['default']) as number | undefined;
}

/** What rows cost. undefined: the operation isn't paid by the row. */
function rowsPrice(price: PriceSpec | undefined, { name }: Operation, rows: number): number | undefined {
  return price?.row === undefined || ownPrice(price, name) !== undefined ? undefined : price.row * rows;
}

/** The parts of a response that may state its price. */
export interface Priced {
  readonly headers: IncomingHttpHeaders;
  /** The value in its body at the path of the price. @default none */
  readonly cost?: unknown;
  /** Returns how many rows it has. @default unknown */
  readonly rows?: (() => number) | undefined;
}

/** What a request has cost: as its response states, or the price of a request without a page. undefined: as `requestPrice` says. */
export function paidFor(price: PriceSpec | undefined, operation: Operation, response: Priced, failed: boolean): number | undefined {
  if (price === undefined) return 0;
  const { headers, cost, rows } = response;
  const header = headerIn(price.at ?? '');
  const stated = Number((header === undefined ? cost : headers[header]) ?? Number.NaN);
  if (stated >= 0 && Number.isFinite(stated)) return stated;
  if (failed) return price['failed'] as number | undefined;
  return rows === undefined || price.row === undefined ? undefined : rowsPrice(price, operation, rows());
}

/** The path of the price in the body of a response. undefined: the body doesn't state it. */
export function costPath(price: PriceSpec | undefined): string | undefined {
  return price?.at === undefined || headerIn(price.at) !== undefined ? undefined : price.at;
}

/** How much is left of an account, from its data. undefined: the data doesn't say. */
export function leftIn({ left, used }: AccountSpec, data: unknown): number | undefined {
  if (left === undefined || !isObject(data)) return undefined;
  const number = Number(valueAt(data, left) ?? Number.NaN) - (used === undefined ? 0 : Number(valueAt(data, used) ?? Number.NaN));
  return Number.isFinite(number) ? number : undefined;
}
