/** Which responses mean what. All that a rule names must fit. */
export interface FailureSpec {
  /** @default any status. With `code`: 200 */
  readonly status?: number | undefined;
  /** Headers with these values. */
  readonly header?: { readonly [name: string]: string } | undefined;
  /** The code in the envelope. */
  readonly code?: number | string | undefined;
  /** A place in the whole body. */
  readonly at?: string | undefined;
  /** What is there: a value, or one of a list. @default anything but null, false, 0 and empty */
  readonly is?: Scalar | readonly Scalar[] | undefined;
  readonly means: FailureMeaning;
  /** Until when no request helps. @default as `Retry-After` or the headers of the limit say */
  readonly until?: FailureUntil | undefined;
}

type Scalar = string | number | boolean;

/** Where a response says how long to wait, in a header or in the whole body: so many seconds, or until a time. */
export type FailureUntil = { readonly unit: (typeof untilUnits)[number] } & (
  | { readonly header: string; readonly at?: undefined }
  | { readonly at: string; readonly header?: undefined }
);
const untilUnits = ['seconds', 'epoch', 'epochMs', 'date'] as const;

/**
 * `busy`: it may be gone at the next attempt. `throttled`: the request came too fast. `quota`: nothing is left until a certain
 * time. `empty`: there are no rows, and nothing failed. `final`: no retry helps. `auth`: the key is refused, so nothing more is
 * sent.
 */
export type FailureMeaning = (typeof failureMeanings)[number];
export const failureMeanings = ['busy', 'throttled', 'quota', 'empty', 'final', 'auth'] as const;

const fields = ['status', 'header', 'code', 'at', 'is', 'means', 'until'] as const satisfies readonly (keyof FailureSpec)[];

/** What is wrong with a rule, as words that follow its place. undefined: nothing. */
export function failureFault(rule: FailureSpec): string | undefined {
  const { status, header, code, at, is, means, until, ...others } = rule;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return ` has no ${unknown}; it has ${fields.join(', ')}`;
  if ([status, header, code, at].every((part) => part === undefined)) return ' must have a status, a header, a code or a place (at)';
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 999))
    return `.status must be an HTTP status, not ${JSON.stringify(status)}`;
  if (header !== undefined && !isHeaders(header)) return `.header must be like { 'x-left': '0' }, not ${JSON.stringify(header)}`;
  if (at !== undefined && !isPath(at)) return `.at must be a dotted path, not ${JSON.stringify(at)}`;
  if (is !== undefined && at === undefined) return ' has is, but no place (at) where to look for it';
  if (!failureMeanings.includes(means)) return `.means must be one of ${failureMeanings.join(', ')}, not ${JSON.stringify(means)}`;
  if (until === undefined) return undefined;
  if (!untilUnits.includes(until.unit)) return `.until.unit must be one of ${untilUnits.join(', ')}, not ${JSON.stringify(until.unit)}`;
  const isOne = isPath(until.header) !== isPath(until.at);
  return isOne ? undefined : `.until must have a header or a place (at), not ${JSON.stringify(until)}`;
}

function isHeaders(header: unknown): boolean {
  if (typeof header !== 'object' || header === null) return false;
  const values = Object.values(header);
  return values.length > 0 && values.every((value) => typeof value === 'string');
}

function isPath(path: unknown): boolean {
  return typeof path === 'string' && path !== '';
}
