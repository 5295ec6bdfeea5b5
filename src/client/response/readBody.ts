import { envelopeOf, keyOfRows, lackOf, pagingRequestOf, responseOf, rowsAt, type Operation, type Service } from '../../contract/index.ts';
import type { SpanRequest } from '../spans/SpanReader.ts';
import type { Judge } from '../attempt/failurePolicy.ts';
import { readerFor } from './formats/readerFor.ts';
import { undeclaredError } from './errorIn.ts';
import { parseResponse, type Payload, type Unreadable } from './parseResponse.ts';

/** Reads the body of a response to a request. */
export function readBody(body: Buffer, service: Service, request: SpanRequest, judge?: Judge): Payload | Unreadable {
  const { operation, query } = request;
  const { paging } = operation.spec;
  const reading = { list: isList(operation), nextAt: pagingRequestOf(paging).fromBody, judge, reader: readerFor(operation, query) };
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
  const lack = lackOf(request, read.data);
  const { list } = responseOf(operation, query);
  const path = rows ?? list;
  if (lack === undefined && (path === null || rowsAt(read.data, path, keyOfRows(operation, path)).list === 'present')) return read;
  const error = undeclaredError(read.data) ?? undeclaredError(read.beside);
  if (error !== undefined) return { ...read, good: false, message: error };
  return lack === undefined ? read : { kind: 'noList', lack };
}

/** Whether the data is a list: of the rows, or of what holds them. */
function isList({ spec: { list, keyed } }: Operation): boolean {
  return keyed === undefined && (list === '' || list?.startsWith('[]') === true);
}
