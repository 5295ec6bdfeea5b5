import type { IncomingHttpHeaders } from 'node:http';
import { type BodyFormat, isNotThere, type NotAPage } from '../../contract/index.ts';
import type { Payload, Unreadable } from '../response/parseResponse.ts';
import { saidInBody, beginningOf } from '../response/errorIn.ts';
import type { Unspendable } from '../../ledger/LedgerClient.ts';
import type { FailureKind } from '../../errors/index.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import type { Refused } from './applyHeaders.ts';
import { parseRetryAfter } from './parseRetryAfter.ts';
import { isTruth, type FailurePolicy } from './failurePolicy.ts';
import type { DecodeFailure } from '../../contract/decodeBody.ts';

/** The ledger lets nothing more be spent. */
export function unspendable({ because, until }: Unspendable): AttemptFailure {
  return {
    kind: 'budget',
    error: 'BudgetError',
    what: `not sent, because ${because}`,
    advice: 'a flow resumes with the same command; trawler spend shows what was spent, and trawler spend limit sets the limit',
    details: { because, until },
  };
}

/** What the client knows when a response comes. */
interface Context {
  readonly headers: IncomingHttpHeaders;
  readonly wall: number;
  readonly policy: FailurePolicy;
}

interface StatusContext extends Context {
  readonly status: number;
  /** The address that was asked, without the key. */
  readonly url?: string;
  /** Decoded. */
  readonly body: Buffer;
  /** The client has received a page before, or the address of this job. */
  readonly worked: boolean;
  /** What the headers say about the limit. */
  readonly refused: Refused;
}

/** A response with a status other than 200. `response`: what was read in its body. */
export function statusFailure(response: Payload | Unreadable, context: StatusContext): AttemptFailure {
  const { status, url, body, policy, worked, refused } = context;
  const known = response.kind === 'payload' ? response : undefined;
  if ((status === 204 || status === 205) && known?.verdict === undefined) {
    return {
      kind: 'final',
      error: 'PayloadError',
      what: `HTTP ${status}, a response without a body; that is not the same as no results`,
      advice: `if it means that there are no rows, say so: failures: [{ status: ${status}, means: 'empty' }]`,
      details: { status },
    };
  }
  const retryAfterMs = waitOf(known, context) ?? refused.waitMs;
  const means = policy.ofStatus(status);
  // GitHub answers 403 to requests beyond its limit, though the key is valid.
  const usual = status === 403 && means === 'auth' && (retryAfterMs !== undefined || refused.noneLeft) ? 'throttled' : means;
  const kind = ruled(known) ?? usual;
  const said = typeof known?.message === 'string' && known.message !== '' ? known.message : saidInBody(body);
  return {
    kind,
    error: errorsByKind[kind] ?? 'HttpError',
    what: `HTTP ${status}${meaning(status)}${said === '' ? '' : `; the service says ${beginningOf(said)}`}`,
    advice: statusAdvice(status, kind, worked, retryAfterMs, url),
    details: {
      status,
      code: known?.code,
      requestId: known?.requestId === '' ? undefined : known?.requestId,
      retryAfterMs,
    },
  };
}

/** How long to wait, as the rule that fits says, else as Retry-After does. */
function waitOf(response: Payload | undefined, { headers, wall }: Context): number | undefined {
  const { waitMs = 0 } = response?.verdict ?? {};
  return waitMs > 0 ? waitMs : parseRetryAfter(headers['retry-after'], headers.date, wall);
}

/** The kind of failure that a rule says. A quota is an ordinary limit once its time is over. */
function ruled(response: Payload | undefined): FailureKind | undefined {
  const { means, waitMs = 1 } = response?.verdict ?? {};
  if (means === undefined || means === 'empty') return undefined;
  return means === 'quota' && waitMs <= 0 ? 'throttled' : means;
}

function meaning(status: number): string {
  if (status === 304) return ', not modified, though the request had no condition';
  if (status >= 300 && status < 400) return ', a redirect; trawler refuses redirects because the key would go along';
  return status === 429 ? ', too many requests' : '';
}

function statusAdvice(
  status: number,
  kind: FailureKind,
  worked: boolean,
  retryAfterMs: number | undefined,
  url: string | undefined,
): string | undefined {
  if (kind === 'auth' || kind === 'throttled' || kind === 'quota') return adviceOn(kind, retryAfterMs);
  if (worked || !isNotThere({ kind, status })) return undefined;
  const asked = url === undefined ? '' : `: ${url.split('?', 1)[0]!} was asked`;
  return `check baseUrl and pathPrefix, and in a service of your own the get or post of the operation${asked}`;
}

/** Where the kind alone says which error it is. */
const errorsByKind: { readonly [kind in FailureKind]?: AttemptFailure['error'] } = {
  auth: 'AuthError',
  throttled: 'RateLimitError',
  quota: 'RateLimitError',
};

/** A response with HTTP 200 whose body says that the request failed: by a rule, a code, or an error alone. */
export function bodyFailure(response: Payload, context: Context): AttemptFailure {
  const { code, message, requestId } = response;
  const retryAfterMs = waitOf(response, context);
  const kind = ruled(response) ?? (code === undefined ? 'final' : context.policy.ofCode(code));
  const fault = isTruth(code) ? 'says that the request failed' : code === undefined ? 'has an error' : `has code ${code}`;
  const said = typeof message === 'string' && message !== '' ? `; the service says ${beginningOf(message)}` : '';
  return {
    kind,
    error: errorsByKind[kind] ?? 'EnvelopeError',
    what: `the response ${fault}${said}`,
    advice: adviceOn(kind, retryAfterMs),
    details: { status: 200, code, requestId: requestId === '' ? undefined : requestId, retryAfterMs },
  };
}

function adviceOn(kind: FailureKind, retryAfterMs: number | undefined): string | undefined {
  return kind === 'quota' && retryAfterMs !== undefined ? undefined : adviceOf[kind];
}

const sayWhatItMeans = 'say what it means in failures of the description, or with retry.codes';
const adviceOf: { readonly [kind in FailureKind]?: string } = {
  unknownCode: sayWhatItMeans,
  busyCode: sayWhatItMeans,
  auth: 'check apiKey; this client sends nothing more',
  throttled: 'lower rate or concurrency, or come back later',
  quota: 'the service does not say when there is more, so this client sends nothing more; come back later',
};

const faultTexts = {
  empty: 'HTTP 200 with an empty body; that is not the same as no results',
  noEnvelope: 'the response is JSON without the envelope that every response comes in',
  noData: 'the response has no data',
  tooDeep: 'the response nests too deeply',
  tooLarge: 'the response is larger than maxBodyBytes',
  corrupt: "the response can't be decompressed",
  unknownEncoding: 'the response has a content encoding that was not requested',
  needsNewerNode: 'the response is compressed with zstd, which Node reads from 22.15 on',
} as const;
const finals: ReadonlySet<string> = new Set(['tooDeep', 'tooLarge', 'needsNewerNode']);

/** A response with HTTP 200 that isn't a page, because it has no list of rows. */
export function notAPageFailure({ what, advice }: NotAPage): AttemptFailure {
  return { kind: 'noList', error: 'PayloadError', what, advice, details: { status: 200 } };
}

/** A response with HTTP 200 that can't be read. */
export function payloadFailure(
  fault: 'empty' | DecodeFailure | Exclude<Unreadable['kind'], 'noList'>,
  body: Buffer,
  format: BodyFormat = 'json',
): AttemptFailure {
  if (fault === 'truncated')
    return { kind: 'network', error: 'NetworkError', what: 'the compressed response breaks off', details: { status: 200 } };
  const beginning = body.toString('utf8', 0, 200);
  if (fault === 'notJson' && /^\s*<(?:!doctype\s+html|html)\b/i.test(beginning))
    return {
      kind: 'website',
      error: 'PayloadError',
      what: `the response is a web page, not ${format.toUpperCase()}; it begins with ${beginningOf(beginning)}`,
      advice: 'check baseUrl and pathPrefix: they may be those of a website',
      details: { status: 200 },
    };
  const text = fault === 'notJson' || fault === 'noEnvelope' ? `; it begins with ${beginningOf(beginning)}` : '';
  return {
    kind: finals.has(fault) ? 'final' : 'unreadable',
    error: 'PayloadError',
    what: (fault === 'notJson' ? `the response is not ${format.toUpperCase()}` : faultTexts[fault]) + text,
    advice: fault === 'tooLarge' ? 'request fewer results, or raise maxBodyBytes' : undefined,
    details: { status: 200 },
  };
}
