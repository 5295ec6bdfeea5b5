import type { DecodeFault } from '../response/decodeBody.ts';
import type { Unreadable } from '../response/parseResponse.ts';
import { beginningOf } from '../response/printable.ts';
import { NetworkError, PayloadError } from '../../errors/index.ts';
import type { AttemptFailure } from './AttemptFailure.ts';

const whats = {
  empty: 'HTTP 200 with an empty body; that is not the same as no results',
  notJson: 'the response is not JSON',
  noEnvelope: 'the response is JSON without the envelope that every response comes in',
  noData: 'the response has no data',
  tooDeep: 'the response nests too deeply',
  tooLarge: 'the response is larger than maxBodyBytes',
  corrupt: "the response can't be decompressed",
  unknownEncoding: 'the response has a content encoding that was not requested',
} as const;
const finals: ReadonlySet<string> = new Set(['empty', 'tooDeep', 'tooLarge']);

/** A response with HTTP 200 that can't be read. */
export function payloadFailure(fault: 'empty' | DecodeFault | Unreadable['kind'], body: Buffer): AttemptFailure {
  if (fault === 'truncated')
    return { kind: 'network', error: NetworkError, what: 'the compressed response breaks off', details: { status: 200 } };
  const text = fault === 'notJson' || fault === 'noEnvelope' ? `; it begins with ${beginningOf(body.toString('utf8', 0, 200))}` : '';
  return {
    kind: finals.has(fault) ? 'final' : 'unreadable',
    error: PayloadError,
    what: whats[fault] + text,
    advice: fault === 'tooLarge' ? 'ask for fewer results, or raise maxBodyBytes' : undefined,
    details: { status: 200 },
  };
}
