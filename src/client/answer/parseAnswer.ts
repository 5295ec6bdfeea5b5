import { isTooDeep } from './isTooDeep.ts';
import { decodeText } from './decodeText.ts';
import { quoteLongIntegers } from './quoteLongIntegers.ts';

/** What every answer is wrapped in. */
export interface Envelope {
  readonly kind: 'envelope';
  readonly code: number;
  readonly message: unknown;
  /** An object wherever `code` is 200. */
  readonly data: object | null;
  readonly requestId: string;
  readonly timestamp: number;
}

/** Why a body is no answer. */
export type Unreadable = { readonly kind: 'notJson' | 'noEnvelope' | 'noData' | 'tooDeep' };

/** Reads the envelope of a body. Never throws, and never recurses, whatever the body holds. */
export function parseAnswer(body: Buffer): Envelope | Unreadable {
  const text = decodeText(body);
  let value: unknown;
  try {
    value = JSON.parse(quoteLongIntegers(text));
  } catch {
    return { kind: 'notJson' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'noEnvelope' };
  if (isTooDeep(text, value)) return { kind: 'tooDeep' };
  const { code, message, data, requestId, timestamp } = value as { readonly [field: string]: unknown };
  if (typeof code !== 'number') return { kind: 'noEnvelope' };
  const usable = typeof data === 'object' && data !== null && !Array.isArray(data);
  if (code === 200 && !usable) return { kind: 'noData' };
  return {
    kind: 'envelope',
    code,
    message,
    data: usable ? data : null,
    requestId: typeof requestId === 'string' ? requestId : '',
    timestamp: typeof timestamp === 'number' ? timestamp : 0,
  };
}
