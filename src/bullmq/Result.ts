import { z } from 'zod';
import type { PlainFailure } from '../client/attempt/PlainFailure.ts';
import type { RawResponse } from '../client/attempt/RunningAttempt.ts';
import type { Payload } from '../client/response/parseResponse.ts';
import { packSpans, type PackedSpans, unpackSpans } from '../client/spans/packSpans.ts';

/** A worker's result for a page. */
export type Result = {
  /** From sending the request to the last byte of the response. */
  readonly ms: number;
} & ({ readonly response: Payload; readonly bytes: number; readonly raw?: RawResponse | undefined } | { readonly failure: PlainFailure });

/** A result as it travels: this as a line of JSON, then the packed rows, and the stored response. */
type Head = { readonly ms: number } & (
  | {
      readonly response: Payload;
      readonly bytes: number;
      readonly rows?: PackedSpans | undefined;
      readonly raw?: Omit<RawResponse, 'body'> | undefined;
    }
  | { readonly failure: PlainFailure }
);

/** The version of jobs and results. Leader and worker must have the same one. */
export const queueFormat = 3;

/** The largest response that the client reads, 32 MiB, with room for what its text may grow by. */
const mostBytes = 100 * 1024 * 1024;
const lineFeed = 10;

const text = z.string();
const payload = z.object({
  kind: z.literal('payload'),
  good: z.boolean(),
  data: z.object({}).or(z.array(z.unknown())).nullable(),
  requestId: text,
  timestamp: z.number(),
});
const rows = z.object({
  count: z.int().min(0),
  bytes: z.tuple([z.int().min(0), z.int().min(0), z.int().min(0)]),
  issues: z.array(z.object({ path: text, message: text })),
  mark: z.number(),
});
const raw = z.object({ status: z.number(), headers: z.record(text, z.union([text, z.array(text)])), url: text });
const unreadable = z.object({ kind: z.enum(['notJson', 'noEnvelope', 'noData', 'tooDeep']) });
const kinds = ['network', 'lost', 'rubbish', 'timeout', 'busy', 'throttled', 'unreadable', 'unknownCode', 'auth', 'final'];
const errors = [
  'AuthError',
  'EnvelopeError',
  'HttpError',
  'NetworkError',
  'PaginationError',
  'PayloadError',
  'RateLimitError',
  'TimeoutError',
];
const failure = z.object({
  kind: z.enum(kinds),
  error: z.enum(errors),
  what: text,
  advice: text.optional(),
  details: z.object({ status: z.number().optional(), requestId: text.optional(), retryAfterMs: z.number().optional() }).optional(),
});
const format = z.union([
  z.object({
    format: z.literal(queueFormat),
    ms: z.number(),
    response: z.union([payload, unreadable]),
    bytes: z.number(),
    rows: rows.optional(),
    raw: raw.optional(),
  }),
  z.object({ format: z.literal(queueFormat), ms: z.number(), failure }),
]);

/** A result as bytes. `clean` is applied to all text but the rows. */
export function encodeResult(result: Result, clean: (text: string) => string): Buffer {
  const [head, ...bytes] = partsOf(result);
  return Buffer.concat([Buffer.from(`${clean(JSON.stringify({ format: queueFormat, ...head }))}\n`), ...bytes]);
}

function partsOf(result: Result): [Head, ...Buffer[]] {
  if ('failure' in result) return [result];
  const { response: { spans, ...response }, raw: stored, ...rest } = result; // prettier-ignore
  const [packed, ...bytes] = spans === undefined ? [undefined] : packSpans(spans);
  const { body = nothing, ...received } = stored ?? {};
  return [{ ...rest, response, rows: packed, raw: stored && (received as Omit<RawResponse, 'body'>) }, ...bytes, body];
}

/** Throws if the bytes aren't a result, are too many, or come from another version of trawler. */
export function decodeResult(body: Buffer): Result {
  if (body.length > mostBytes) throw new RangeError(`it has more than ${mostBytes} bytes`);
  const end = body.indexOf(lineFeed);
  const value: unknown = JSON.parse(body.toString('utf8', 0, end === -1 ? body.length : end));
  if (!format.safeParse(value).success) throw new TypeError('it is no result, or one of another version of trawler');
  const head = value as Head;
  const { ms } = head;
  if ('failure' in head) return { failure: head.failure, ms };
  const { response, bytes, rows: packed, raw: stored } = head;
  const start = end + 1;
  const from = start + (packed?.bytes.reduce((sum, length) => sum + length) ?? 0);
  return {
    response: packed === undefined ? response : { ...response, spans: unpackSpans(packed, body.subarray(start, from)) },
    bytes,
    ...(stored === undefined ? {} : { raw: { ...stored, body: body.subarray(from) } }),
    ms,
  };
}

const nothing = Buffer.alloc(0);

/** A query that kills its workers is recorded as failed. A retry would kill more. */
const lostCode = 'WORKER_LOST';

/** A request whose worker is gone. It is unknown whether it was sent. */
export const lostFailure: PlainFailure = {
  kind: 'lost',
  error: 'NetworkError',
  what: 'the worker that had it died, or the queue forgot it',
  advice: 'if this query ends workers again and again, look at what they said last',
  details: { code: lostCode },
};
