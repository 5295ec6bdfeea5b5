import { ownValue } from '../../../operators/kit/ownValue.ts';
import {
  envelopeOf,
  fieldAt,
  fieldsOf,
  keyOfRows,
  kindOfShape,
  pagingKindOf,
  responseOf,
  rowsAt,
  type Operation,
  type Service,
  type Shape,
} from '../../contract/index.ts';
import type { SpanRequest } from '../spans/SpanReader.ts';
import type { Judge } from '../attempt/failurePolicy.ts';
import { readerFor } from './formats/readerFor.ts';
import { undeclaredError } from './errorIn.ts';
import { parseResponse, type Payload, type Unreadable } from './parseResponse.ts';

/**
 * Reads the body of a response to a request. An error in place of the rows is a failure, also if the service declares no place for
 * errors: `{ "error": "…" }` is not the same as no rows.
 */
export function readBody(body: Buffer, service: Service, { operation, query, rows }: SpanRequest, judge?: Judge): Payload | Unreadable {
  const { paging } = operation.spec;
  const reading = { list: isList(operation), nextAt: pagingKindOf(paging).fromBody(paging), judge, reader: readerFor(operation, query) };
  const read = parseResponse(body, envelopeOf(service, operation), reading);
  if (read.kind !== 'payload' || !read.good || read.verdict !== undefined) return read;
  const { response, list } = responseOf(operation, query);
  if (hasRows(operation, response, rows ?? list, read.data)) return read;
  const error = undeclaredError(read.data) ?? undeclaredError(read.beside);
  return error === undefined ? read : { ...read, good: false, message: error };
}

/** Whether the data is a list: of the rows, or of what holds them. */
function isList({ spec: { list, keyed } }: Operation): boolean {
  return keyed === undefined && (list === '' || list?.startsWith('[]') === true);
}

/** Whether the rows are there. Where the data is the one row: a documented field of it. */
function hasRows(operation: Operation, response: Shape, path: string | null, data: unknown): boolean {
  if (path !== null) return rowsAt(data, path, keyOfRows(operation, path)).list === 'present';
  const at = kindOfShape(response);
  if (at.kind !== 'object') return fieldAt(response, ['error']).kind !== 'missing';
  return fieldsOf(at.object).some(({ name }) => ownValue(data, name) !== undefined);
}
