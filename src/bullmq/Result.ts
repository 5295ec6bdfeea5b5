import { gunzipSync, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { PlainFailure } from '../client/attempt/PlainFailure.ts';
import type { Payload } from '../client/response/parseResponse.ts';
import type { RawResponse } from '../client/attempt/RunningAttempt.ts';

/** A worker's result for a job. */
export type Result =
  | { readonly response: Payload; readonly bytes: number; readonly raw?: RawResponse | undefined }
  | { readonly failure: PlainFailure };

/** The version of jobs and results. Leader and worker must have the same one. */
export const queueFormat = 1;

const worthPacking = 4096;
/** The largest response that the client reads, 32 MiB, with room for what its text may grow by. */
const mostBytes = 100 * 1024 * 1024;
const pack = promisify(gzip);

const text = z.string();
const payload = z.looseObject({
  kind: z.literal('payload'),
  good: z.boolean(),
  data: z.looseObject({}).or(z.array(z.unknown())).nullable(),
  requestId: text,
  timestamp: z.number(),
});
const raw = z.looseObject({ status: z.number(), headers: z.record(text, z.union([text, z.array(text)])), url: text, body: text });
const unreadable = z.looseObject({ kind: z.enum(['notJson', 'noEnvelope', 'noData', 'tooDeep']) });
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
const failure = z.looseObject({
  kind: z.enum(kinds),
  error: z.enum(errors),
  what: text,
  advice: text.optional(),
  details: z.looseObject({ status: z.number().optional(), requestId: text.optional(), retryAfterMs: z.number().optional() }).optional(),
});
const format = z.union([
  z.looseObject({ format: z.literal(queueFormat), response: z.union([payload, unreadable]), bytes: z.number(), raw: raw.optional() }),
  z.looseObject({ format: z.literal(queueFormat), failure }),
]);

/** A result as text. Large ones are compressed. `clean` is applied to the whole text. */
export async function encodeResult(result: Result, clean: (text: string) => string): Promise<string> {
  const whole =
    'raw' in result && result.raw !== undefined ? { ...result, raw: { ...result.raw, body: result.raw.body.toString('base64') } } : result;
  const plain = clean(JSON.stringify({ format: queueFormat, ...whole }));
  return plain.length < worthPacking ? plain : (await pack(plain, { level: 1 })).toString('base64');
}

/** Throws if the text isn't a result, is too large, or comes from another version of trawler. */
export function decodeResult(body: string): Result {
  const plain = body.startsWith('{') ? body : gunzipSync(Buffer.from(body, 'base64'), { maxOutputLength: mostBytes }).toString();
  if (plain.length > mostBytes) throw new RangeError(`it has more than ${mostBytes} bytes`);
  const value: unknown = JSON.parse(plain);
  if (!format.safeParse(value).success) throw new TypeError('it is no result, or one of another version of trawler');
  const { format: _, ...result } = value as Result & { readonly format: number };
  if (!('raw' in result) || result.raw === undefined) return result;
  return { ...result, raw: { ...result.raw, body: Buffer.from(result.raw.body as unknown as string, 'base64') } };
}
