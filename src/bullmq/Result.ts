import { isObject } from '../../operators/kit/ownValue.ts';
import type { AttemptFailure, RawResponse } from '../client/attempt/AttemptFailure.ts';
import type { Payload } from '../client/response/parseResponse.ts';
import type { RateLimitReport } from '../client/rate/Pace.ts';
import { packSpans, type SpansHead, unpackSpans } from '../client/spans/packSpans.ts';
import { queueFormat } from './JobData.ts';

/** A worker's result for a page. */
export type Result = {
  /** The time from sending the request to the last byte of the response. */
  readonly ms: number;
  /** The limit that the headers of the response say. */
  readonly limit?: RateLimitReport | undefined;
} & (
  | {
      readonly response: Payload;
      readonly bytes: number;
      readonly raw?: RawResponse | undefined;
      /** A digest of the key that worked. */
      readonly key?: string | undefined;
    }
  | { readonly failure: AttemptFailure }
);

/** The first part of a result in the queue, as JSON. */
type Head = Pick<Result, 'ms' | 'limit'> &
  (
    | {
        readonly response: Payload;
        readonly bytes: number;
        readonly key?: string | undefined;
        readonly rows?: SpansHead | undefined;
        readonly raw?: Omit<RawResponse, 'body'> | undefined;
      }
    | { readonly failure: AttemptFailure }
  );

/** The largest response that the client reads is 32 MiB. As JSON it may be about three times as long. */
const maxBytes = 100 * 1024 * 1024;
const lineFeed = 10;
const nothing = Buffer.alloc(0);

/**
 * Encodes a result in up to three parts: its head with the offsets of the values of rows, the bytes of the rows (not copied), and the
 * body of the response if it is to be stored. `clean` removes secrets. It is applied to all text but the rows.
 */
export function encodeResult(result: Result, clean: (text: string) => string): readonly Buffer[] {
  const headOf = (head: Head): Buffer => Buffer.from(`${clean(JSON.stringify({ format: queueFormat, ...head }))}\n`);
  if ('failure' in result) return [headOf(result)];
  const { response: { spans, ...response }, raw: stored, ...rest } = result; // prettier-ignore
  const packed = spans === undefined ? undefined : packSpans(spans);
  const raw = stored && { status: stored.status, headers: stored.headers, url: stored.url };
  const head = headOf({ ...rest, response, rows: packed?.spans, raw });
  const parts = packed === undefined ? [head, nothing] : [Buffer.concat([head, packed.offsets]), packed.rows];
  return stored === undefined ? parts : [...parts, stored.body];
}

/** Throws if the parts aren't a result, are too many, or come from another version of trawler. */
export function decodeResult([first = nothing, rows = nothing, body = nothing]: readonly Buffer[]): Result {
  if (first.length + rows.length + body.length > maxBytes) throw new RangeError(`it has more than ${maxBytes} bytes`);
  const found = first.indexOf(lineFeed);
  const end = found === -1 ? first.length : found;
  const value: unknown = JSON.parse(first.toString('utf8', 0, end));
  if (!isHead(value)) throw new TypeError('it is no result, or one of another version of trawler');
  const head: Head = value;
  const { ms, limit } = head;
  if ('failure' in head) return { failure: head.failure, ms, limit };
  const { response, bytes, rows: packed, raw: stored, key } = head;
  const spans = packed && unpackSpans({ spans: packed, rows, offsets: first.subarray(end + 1) });
  return {
    response: spans === undefined ? response : { ...response, spans },
    bytes,
    ...(stored === undefined ? {} : { raw: { ...stored, body } }),
    ms,
    limit,
    key,
  };
}

/** Only workers write results, and `format` says whether this version knows them. So their fields aren't checked one by one. */
function isHead(value: unknown): value is Head {
  return isObject(value) && value['format'] === queueFormat && (isObject(value['failure']) || isObject(value['response']));
}

/** The code of a query that kills its workers. It is recorded as failed, because a retry would kill more. */
const lostCode = 'WORKER_LOST';

/** The failure of a request whose worker has died. It is unknown whether it was sent. */
export const lostFailure: AttemptFailure = {
  kind: 'lost',
  error: 'NetworkError',
  what: 'the worker that had it died, or the queue forgot it',
  advice: 'if this query ends workers again and again, read the last lines of their logs',
  details: { code: lostCode },
};
