import {
  costPath,
  envelopeOf,
  whyNotAPage,
  pagingRequestOf,
  responseOf,
  rowPlaceOf,
  rowsIn,
  type Operation,
  type Service,
} from '../../contract/index.ts';
import type { MatchRules } from '../attempt/failurePolicy.ts';
import type { SpanRequest } from '../spans/SpanReader.ts';
import { undeclaredError } from './errorIn.ts';
import { readerFor } from './formats/readerFor.ts';
import { parseResponse, type Payload, type Unreadable } from './parseResponse.ts';

/** Reads the body of a response to a request. */
export function readBody(body: Buffer, service: Service, request: SpanRequest, judge?: MatchRules): Payload | Unreadable {
  const { operation, query } = request;
  const { paging } = operation.spec;
  const [nextAt, costAt] = [pagingRequestOf(paging).fromBody, costPath(service.price)];
  const reading = { list: isList(operation), nextAt, costAt, judge, reader: readerFor(operation, query) };
  const read = parseResponse(body, envelopeOf(service, operation), reading);
  return read.kind === 'payload' ? asPage(read, request) : read;
}

/**
 * The response, if it is a page. An error in place of the rows is a failure, also if the service declares no place for errors:
 * `{ "error": "…" }` is not the same as no rows. Neither is a response without its list.
 */
export function asPage(read: Payload, request: SpanRequest): Payload | Extract<Unreadable, { readonly kind: 'noList' }> {
  const { operation, query, rows } = request;
  if (!read.good || read.verdict !== undefined) return read;
  const why = whyNotAPage(request, read.data);
  const { rows: list } = responseOf(operation, query);
  const path = rows ?? list;
  if (why === undefined && (path === null || rowsIn(operation, read.data, path).list === 'present')) return read;
  const error = undeclaredError(read.data) ?? undeclaredError(read.beside);
  if (error !== undefined) return { ...read, good: false, message: error };
  return why === undefined ? read : { kind: 'noList', why };
}

/** Whether the data is a list: of the rows, or of what holds them. `either`: or the one row. */
function isList(operation: Operation): boolean | 'either' {
  const { rows: list, keyed } = operation.spec;
  if (keyed !== undefined) return false;
  return list === '' && rowPlaceOf(operation, list).one === true ? 'either' : list === '' || list?.startsWith('[]') === true;
}
