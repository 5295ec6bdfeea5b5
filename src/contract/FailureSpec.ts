/** Which responses mean what. All that a rule names must fit. */
export interface FailureSpec {
  /** The status of the response. @default any status */
  readonly status?: number | undefined;
  /** A path in the whole body, or a header: `header:x-left`. `errors[].code` is the code of any of the errors. */
  readonly at?: string | undefined;
  /**
   * What is there: a value, or one of a list. A text that begins with `*` is how it ends: `'*try again later.'`
   * @default anything but null, false, 0 and empty
   */
  readonly is?: Scalar | readonly Scalar[] | undefined;
  /**
   * `busy`: it may be gone at the next attempt. `throttled`: the request came too fast. `quota`: nothing is left until a certain
   * time. `empty`: there are no rows, and nothing failed. `final`: no retry helps. `auth`: the key is refused, so nothing more is
   * sent.
   */
  readonly means: FailureMeaning;
  /**
   * Where a response says until when no request helps: `header:x-again`, or a path in the whole body. There is a number of seconds to
   * wait, a time since 1970 in seconds or milliseconds, or a date.
   * @default as `Retry-After` or the headers of the limit say
   */
  readonly until?: string | undefined;
}

type Scalar = string | number | boolean;

/** What a response that fits a rule means. `means` of `FailureSpec` says what each leads to. */
export type FailureMeaning = (typeof failureMeanings)[number];
export const failureMeanings = ['busy', 'throttled', 'quota', 'empty', 'final', 'auth'] as const;

/** What is wrong between the fields of a rule. */
export function failureFault(failures: readonly FailureSpec[] = []): string | undefined {
  const faults = failures.map((rule, index) => [index, ruleFault(rule)] as const);
  const first = faults.find(([, fault]) => fault !== undefined);
  return first && `failures[${first[0]}]${first[1]!}`;
}

function ruleFault({ status, at, is }: FailureSpec): string | undefined {
  if (status === undefined && at === undefined) return ' must have a status, or a place (at)';
  return is !== undefined && at === undefined ? ' has is, but no place (at) where to look for it' : undefined;
}

/** Whether an error is an HTTP 404 or a redirect. Where nothing else comes, the address is wrong. */
export function isNotThere({ kind, status = 0 }: { readonly kind?: string | undefined; readonly status?: number | undefined }): boolean {
  return kind === 'final' && (status === 404 || (status >= 300 && status < 400 && status !== 304));
}
