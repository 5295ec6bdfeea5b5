import type { LimitKind, LimitWorld } from './LimitWorld.ts';

interface Told {
  readonly left: number;
  readonly resetMs: number;
  /** The time on the wall. */
  readonly wall: number;
  readonly limit: LimitKind;
}

type Headers = { readonly [name: string]: string };

const seconds = (ms: number): string => String(Math.ceil(ms / 1000));
const epoch = ({ wall, resetMs }: Told): string => String(Math.ceil((wall + resetMs) / 1000));
const inTime = ({ limit }: Told): { readonly requests: number; readonly perMs: number } =>
  'requests' in limit ? limit : { requests: 1, perMs: 1000 };

const written: { readonly [form in NonNullable<LimitWorld['tells']>]: (told: Told) => Headers } = {
  seconds: ({ left, resetMs }) => ({ 'x-ratelimit-remaining': `${left}`, 'x-ratelimit-reset': seconds(resetMs) }),
  epoch: (told) => ({ 'x-ratelimit-remaining': `${told.left}`, 'x-ratelimit-reset': epoch(told) }),
  epochMs: ({ left, wall, resetMs }) => ({
    'x-ratelimit-remaining': `${left}.0`,
    'x-ratelimit-reset': String(Math.ceil(wall + resetMs)),
  }),
  after: (told) => ({
    'x-ratelimit-remaining': `${told.left}`,
    'x-ratelimit-reset': epoch(told),
    'x-ratelimit-reset-after': (Math.ceil(told.resetMs) / 1000).toFixed(3),
  }),
  draft: ({ left, resetMs }) => ({ ratelimit: `"default";r=${left};t=${seconds(resetMs)}` }),
  oldDraft: ({ left, resetMs }) => ({ 'ratelimit-remaining': `${left}`, 'ratelimit-reset': seconds(resetMs) }),
  hyphen: (told) => ({ 'x-rate-limit-remaining': `${told.left}`, 'x-rate-limit-reset': epoch(told) }),
  iso: ({ left, wall, resetMs }) => ({
    'x-ratelimit-remaining': `${left}`,
    'x-ratelimit-reset': new Date(Math.ceil(wall + resetMs)).toISOString(),
  }),
  duration: ({ left, resetMs }) => ({
    'x-ratelimit-remaining': `${left}`,
    'x-ratelimit-reset': `${Math.floor(resetMs / 60_000)}m${Math.ceil(resetMs % 60_000)}ms`,
  }),
  own: (told) => ({ 'x-left-now': `${told.left}`, 'x-again-at': epoch(told) }),
  remainingOnly: ({ left }) => ({ 'x-ratelimit-remaining': `${left}` }),
  interval: (told) => ({ 'x-rate-limit-limit': `${inTime(told).requests}`, 'x-rate-limit-interval': `${inTime(told).perMs}ms` }),
  policy: (told) => ({ 'ratelimit-policy': `"default";q=${inTime(told).requests};w=${inTime(told).perMs / 1000}` }),
  alwaysFull: ({ resetMs }) => ({ 'x-ratelimit-remaining': '1000', 'x-ratelimit-reset': seconds(resetMs) }),
  alwaysEmpty: () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }),
};

/** What the headers of a response say of the limit. */
export function headersOf(form: LimitWorld['tells'], told: Told): Headers {
  return form === undefined ? {} : written[form](told);
}

/** How long a refusal asks to wait from its arrival on, or until when on the wall. */
export type Wait = { readonly ms: number } | { readonly until: number } | undefined;

/** `Retry-After`, and what it asks for. undefined: nothing that makes sense. */
export function retryAfterOf(
  form: LimitWorld['retryAfter'],
  waitMs: number,
  wall: number,
): { readonly headers: Headers; readonly wait: Wait } {
  const whole = Math.max(1, Math.ceil(waitMs / 1000));
  switch (form) {
    case undefined:
      return { headers: {}, wait: undefined };
    case 'seconds':
      return { headers: { 'retry-after': `${whole}` }, wait: { ms: whole * 1000 } };
    case 'fraction': {
      const ms = Math.max(1, Math.ceil(waitMs));
      return { headers: { 'retry-after': (ms / 1000).toFixed(3) }, wait: { ms } };
    }
    case 'date': {
      const at = Math.ceil((wall + Math.max(waitMs, 1)) / 1000) * 1000;
      return { headers: { 'retry-after': new Date(at).toUTCString() }, wait: { until: at } };
    }
    case 'zero':
      return { headers: { 'retry-after': '0' }, wait: undefined };
    default:
      return { headers: { 'retry-after': 'soon' }, wait: undefined };
  }
}
