import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { parsedJson } from '../../../operators/kit/parsedJson.ts';
import type { Operation } from '../../contract/index.ts';
import type { TrawlerError } from '../../errors/index.ts';
import type { AttemptFailure, RawResponse } from '../attempt/AttemptFailure.ts';
import type { CallRequest } from '../attempt/CallRequest.ts';
import type { Payload } from '../response/parseResponse.ts';
import type { ResponsePage } from '../response/ResponsePage.ts';

/** A request for several queries, as their calls see it. */
export interface SharedRequest {
  readonly inFlight: boolean;
  /** A query is no longer wanted. */
  leave(call: BatchMember): void;
}

/** A call whose query shares a request with others. */
export interface BatchMember {
  readonly request: CallRequest;
  readonly node: DemandNode | undefined;
  readonly depth: number;
  /** It shares a request that another query takes a place for. */
  shareSlot(): void;
  /** The shared request got no page for it: it sends its own. */
  goAlone(): void;
  /** The part of the response that is for this call, or the error of the request. */
  receive(part: ResponsePage | TrawlerError): void;
  /** Its part is delivered; `raw` is the response that it was read from. */
  delivered(part: ResponsePage, raw: RawResponse): void;
}

/** The queries that a call is sent for, as the call sees them. */
export interface JoinedQueries {
  /** The response is wanted as it arrived, too. */
  readonly keeps: boolean;
  /** A good response came. */
  came(response: Payload): void;
  /** Their request is refused. Returns how to send each by itself; undefined if that wouldn't help. */
  divided(failure: AttemptFailure): (() => void) | undefined;
  /** Their pages are delivered; `raw` is the response that they were read from. */
  delivered(raw: RawResponse): void;
}

/** The batches of a client, as its calls see them. */
export interface QueryBatches {
  /** The number of queries in batches that aren't sent. */
  readonly waiting: number;
  /** Takes a call whose query can share a request. undefined: it goes alone. */
  join(call: BatchMember): SharedRequest | undefined;
  /** The part of a stored page that is for one of the queries that share it. */
  partOf(operation: Operation, query: object, page: ResponsePage, batch: readonly string[]): ResponsePage;
}

/** A header of stored responses that several queries share: their ids, as JSON. */
export const batchHeader = 'trawler-batch';

/** The ids of the queries that share a stored response. undefined: it is that of one query. */
export function batchIn(header: string | readonly string[] | undefined): readonly string[] | undefined {
  const ids = typeof header === 'string' ? parsedJson(header) : undefined;
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : undefined;
}
