/** A rule that says what some responses mean. A response fits if all fields of the rule fit. */
export interface FailureSpec {
  /** The status of the response. @default any status */
  readonly status?: number | undefined;
  /** What to look at: a path in the whole body, or a header such as `header:x-left`. `errors[].code` is the code of any of the errors. */
  readonly at?: string | undefined;
  /**
   * The value that must be there, or a list of such values. A text that begins with `*` is the end of the value: `'*try again later.'`
   * @default anything but null, false, 0 and empty
   */
  readonly is?: Scalar | readonly Scalar[] | undefined;
  /**
   * `busy`: the failure is temporary, so a retry may help. `throttled`: requests came too fast. `quota`: the quota is used up until a
   * certain time. `empty`: nothing failed, there are no rows. `final`: no retry helps. `auth`: the key is refused, so nothing more is sent.
   */
  readonly means: FailureMeaning;
  /**
   * Where a response says how long to wait: a header such as `header:x-again`, or a path in the whole body. Its value is a number of
   * seconds, a time since 1970 in seconds or milliseconds, or a date.
   * @default `Retry-After`, or the headers of the limit
   */
  readonly until?: string | undefined;
}

type Scalar = string | number | boolean;

/** What a response means. `means` of `FailureSpec` explains each. */
export type FailureMeaning = (typeof failureMeanings)[number];
export const failureMeanings = ['busy', 'throttled', 'quota', 'empty', 'final', 'auth'] as const;

/** What is wrong with the first rule whose fields don't fit together. */
export function failureFault(failures: readonly FailureSpec[] = []): string | undefined {
  const faults = failures.map((rule, index) => [index, ruleFault(rule)] as const);
  const first = faults.find(([, fault]) => fault !== undefined);
  return first && `failures[${first[0]}]${first[1]!}`;
}

function ruleFault({ status, at, is }: FailureSpec): string | undefined {
  if (status === undefined && at === undefined) return ' must have a status, or a place (at)';
  return is !== undefined && at === undefined ? ' has is, but no place (at) where to look for it' : undefined;
}

/** Whether an error is an HTTP 404 or a redirect. If no other response comes, the address is wrong. */
export function isNotThere({ kind, status = 0 }: { readonly kind?: string | undefined; readonly status?: number | undefined }): boolean {
  return kind === 'final' && (status === 404 || (status >= 300 && status < 400 && status !== 304));
}
