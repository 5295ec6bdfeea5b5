import { isUtf8, isAscii, transcode } from 'node:buffer';
import { memoizePer } from '../../../operators/kit/once.ts';
import type { PageLike } from '../../../operators/PageLike.ts';
import { isToken } from '../../../operators/walk/paging/followToken.ts';
import { valueAt } from '../../../operators/kit/path.ts';
import type { EnvelopeSpec, NotAPage } from '../../contract/index.ts';
import type { MatchRules, RuleMatch } from '../attempt/failurePolicy.ts';
import type { RowSpans } from '../spans/RowScanner.ts';
import type { BodyReader } from './formats/readerFor.ts';
import { saidIn, undeclaredError } from './errorIn.ts';
import { quoteLongIntegers } from './quoteLongIntegers.ts';

/** The content of a response's body, as plain data. */
export interface Payload {
  readonly kind: 'payload';
  /** The body says that the request went well: by its code, and by the lack of an error. */
  readonly good: boolean;
  readonly code: number | string | undefined;
  readonly message: unknown;
  /** Set whenever `good` is true. */
  readonly data: object | null;
  readonly requestId: string;
  readonly timestamp: number;
  /** Other fields of the envelope, such as the raw page. */
  readonly beside?: { readonly [field: string]: unknown } | undefined;
  /** Some bytes of the body weren't UTF-8 and became U+FFFD. */
  readonly garbled?: true | undefined;
  /** What leads to the next page, if that isn't in `data`. */
  readonly next?: PageLike['next'];
  /** What headers say about the page. */
  readonly headers?: PageLike['headers'];
  /** The rows cut out of `data`, if they were kept unparsed. */
  readonly spans?: RowSpans | undefined;
  /** A rule of the service fits: what it says. If that is `empty`, the response is good, and has no rows. */
  readonly verdict?: RuleMatch | undefined;
  /** The value where the body says the price of the request. */
  readonly cost?: unknown;
  /** It has no rows yet: where to look next, as a path, and after how long. */
  readonly pending?: { readonly address: string; readonly waitMs: number; readonly moved: boolean } | undefined;
}

const replacement = '\uFFFD';
const noEnvelope: EnvelopeSpec = {};

/** Why a body can't be read. */
export type Unreadable =
  | { readonly kind: 'notJson' | 'noEnvelope' | 'noData' | 'tooDeep' }
  | { readonly kind: 'noList'; readonly why: NotAPage };

/** How to read a body. */
interface Reading {
  /** The data must be a list, else an object. `either`: or either of them. @default false */
  readonly list?: boolean | 'either';
  /** Where in the body the parameters of the next page are. */
  readonly nextAt?: string | undefined;
  /** Where in the body its price is. */
  readonly costAt?: string | undefined;
  /** The rows that were cut out of the body. */
  readonly spans?: RowSpans | undefined;
  /** The rules of the service, where some may fit. */
  readonly judge?: MatchRules | undefined;
  /** How it is read. @default as JSON */
  readonly reader?: BodyReader | undefined;
}

/** Reads a body according to the service's envelope. Never throws and never recurses, whatever the body contains. */
export function parseResponse(
  body: Buffer,
  envelope: EnvelopeSpec = noEnvelope,
  { list = false, nextAt, costAt, spans, judge, reader }: Reading = {},
): Payload | Unreadable {
  const text = decodeText(body);
  let value: unknown;
  try {
    value = reader === undefined ? JSON.parse(quoteLongIntegers(text)) : reader.read(text);
  } catch {
    return judged(judge?.(undefined, undefined), list) ?? { kind: 'notJson' };
  }
  if (typeof value !== 'object' || value === null) return judged(judge?.(value, undefined), list) ?? { kind: 'noEnvelope' };
  if (mayBeDeep(reader === undefined ? text : undefined) && !cutDeepRows(value)) return { kind: 'tooDeep' };
  const code = envelope.code === undefined ? undefined : valueAt(value, envelope.code.at);
  const verdict = judge?.(value, code);
  const declared = envelope.error === undefined ? undefined : saidIn(valueAt(value, envelope.error));
  if (verdict === undefined && envelope.code !== undefined && declared === undefined && typeof code !== typeof envelope.code.is)
    return { kind: 'noEnvelope' };
  const at = envelope.data ?? '';
  const found: unknown = at === '' ? value : valueAt(value, at);
  const data = reader === undefined ? found : reader.describe(found);
  const usable = typeof data === 'object' && data !== null && (list === 'either' || Array.isArray(data) === list);
  const error = declared ?? (usable && verdict === undefined ? undefined : undeclaredError(value));
  const went = code === envelope.code?.is;
  const good = verdict === undefined ? error === undefined && went : verdict.means === 'empty';
  if (good && !usable && verdict === undefined) return { kind: 'noData' };
  const next = nextAt === undefined ? undefined : valueAt(value, nextAt);
  const message = envelope.message === undefined ? undefined : valueAt(value, envelope.message);
  const requestId = envelope.requestId === undefined ? undefined : valueAt(value, envelope.requestId);
  const timestamp = envelope.timestamp === undefined ? undefined : valueAt(value, envelope.timestamp);
  return {
    kind: 'payload',
    good,
    code:
      went && !good
        ? undefined
        : typeof code === 'number' || typeof code === 'string'
          ? code
          : typeof code === 'boolean'
            ? `${code}`
            : undefined,
    message: message === undefined || message === null || message === '' ? error : message,
    data: usable ? data : good ? noRows(list) : null,
    requestId: typeof requestId === 'string' ? requestId : '',
    timestamp: typeof timestamp === 'number' ? timestamp : 0,
    garbled: text.includes(replacement) && !isUtf8(body) ? true : undefined,
    beside: at === '' || Array.isArray(value) ? undefined : besideOf(value as Fields, fieldsOf(envelope)),
    next: isToken(next) ? next : undefined,
    spans,
    verdict,
    cost: costAt === undefined ? undefined : valueAt(value, costAt),
  };
}

/** The response to which a rule fits, though its body can't be read. */
function judged(verdict: RuleMatch | undefined, list: boolean | 'either'): Payload | undefined {
  if (verdict === undefined) return undefined;
  const good = verdict.means === 'empty';
  const data = good ? noRows(list) : null;
  return { kind: 'payload', good, code: undefined, message: undefined, data, requestId: '', timestamp: 0, verdict };
}

function noRows(list: boolean | 'either'): object {
  return list === false ? {} : [];
}

interface Fields {
  readonly [field: string]: unknown;
}

/** The fields of the body that aren't part of the envelope. */
function besideOf(body: Fields, known: ReadonlySet<string | undefined>): Fields | undefined {
  let more: [string, unknown][] | undefined;
  for (const field of Object.keys(body)) if (!known.has(field)) (more ??= []).push([field, body[field]]);
  return more && Object.fromEntries(more);
}

/** The top-level fields of an envelope. */
const fieldsOf = memoizePer(
  ({ data, code, error, message, requestId, timestamp }: EnvelopeSpec) =>
    new Set([data, code?.at, error, message, requestId, timestamp].map((path) => path?.split(/[.[]/, 1)[0])),
);

const byteOrderMark = 0xfeff;

/** Decodes UTF-8, without a byte order mark. Invalid bytes become U+FFFD. Two to four times as fast as `toString`. */
export function decodeText(body: Buffer): string {
  if (isAscii(body)) return body.toString('latin1');
  let text: string;
  try {
    text = transcode(body, 'utf8', 'ucs2').toString('ucs2');
  } catch {
    text = body.toString(); // some bytes aren't UTF-8
  }
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
}

const maxDepth = 256;

/** Whether a JSON value may nest too deeply to walk safely. Most responses don't have that many brackets. `text`: the value as JSON. */
function mayBeDeep(text: string | undefined): boolean {
  // Each level takes two brackets.
  return text === undefined || (text.length > 2 * maxDepth && count(text, '{') + count(text, '[') > maxDepth);
}

/** What a value is walked by, and the entry of a list that it is in: the first one from the outside. */
interface Walked {
  readonly value: object;
  readonly entry: { readonly list: unknown[]; readonly index: number } | undefined;
}

/** What stands in place of an entry that nests too deeply. A row has no such shape, so it is one that can't be used. */
const tooDeepEntry = `nests deeper than ${maxDepth} levels`;

/** Takes out of a value's lists each entry that nests too deeply, level by level. False: it nests too deeply outside of them. */
function cutDeepRows(value: object): boolean {
  let level: Walked[] = [{ value, entry: undefined }];
  for (let depth = 0; level.length > 0; depth++) {
    const next: Walked[] = [];
    for (const { value: parent, entry } of level) {
      if (depth <= maxDepth) {
        for (const [key, child] of Object.entries(parent)) {
          if (typeof child !== 'object' || child === null) continue;
          next.push({ value: child as object, entry: entry ?? (Array.isArray(parent) ? { list: parent, index: Number(key) } : undefined) });
        }
      } else if (entry === undefined) return false;
      else entry.list[entry.index] = tooDeepEntry;
    }
    level = next;
  }
  return true;
}

/** How often a character occurs, counted only as far as needed. */
function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1 && found <= maxDepth; at = text.indexOf(character, at + 1)) found++;
  return found;
}
