/** Which responses mean what. All that a rule names must fit. */
export interface FailureSpec {
  /** The status of the response. @default any status. With `code`: 200 */
  readonly status?: number | undefined;
  /** Headers with these values. */
  readonly header?: { readonly [name: string]: string } | undefined;
  /** The code in the envelope. */
  readonly code?: number | string | undefined;
  /** A path in the whole body. `errors[].code` is the code of any of the errors. */
  readonly at?: string | undefined;
  /** What is there: a value, or one of a list. @default anything but null, false, 0 and empty */
  readonly is?: Scalar | readonly Scalar[] | undefined;
  /** How the text that is there ends. @default in any way */
  readonly ends?: string | undefined;
  /**
   * `busy`: it may be gone at the next attempt. `throttled`: the request came too fast. `quota`: nothing is left until a certain
   * time. `empty`: there are no rows, and nothing failed. `final`: no retry helps. `auth`: the key is refused, so nothing more is
   * sent.
   */
  readonly means: FailureMeaning;
  /**
   * Until when no request helps: `header` or `at` (in the whole body) says where it is told, and `unit` is 'seconds', 'epoch',
   * 'epochMs' or 'date'.
   * @default as `Retry-After` or the headers of the limit say
   */
  readonly until?: FailureUntil | undefined;
}

type Scalar = string | number | boolean;

/** Where a response says how long to wait, in a header or in the whole body: a number of seconds, or until a time. */
export type FailureUntil = { readonly unit: (typeof untilUnits)[number] } & (
  | { readonly header: string; readonly at?: undefined }
  | { readonly at: string; readonly header?: undefined }
);
export const untilUnits = ['seconds', 'epoch', 'epochMs', 'date'] as const;

/** What a response that fits a rule means. `means` of `FailureSpec` says what each leads to. */
export type FailureMeaning = (typeof failureMeanings)[number];
export const failureMeanings = ['busy', 'throttled', 'quota', 'empty', 'final', 'auth'] as const;

/** What is wrong between the fields of a rule. */
export function failureFault(failures: readonly FailureSpec[] = []): string | undefined {
  const faults = failures.map((rule, index) => [index, ruleFault(rule)] as const);
  const first = faults.find(([, fault]) => fault !== undefined);
  return first && `failures[${first[0]}]${first[1]!}`;
}

function ruleFault({ status, header, code, at, is, ends }: FailureSpec): string | undefined {
  if (Object.keys(header ?? {}).length === 0 && [status, code, at].every((part) => part === undefined))
    return ' must have a status, a header, a code or a path (at)';
  if (is !== undefined && ends !== undefined) return ' has is and ends; one of them says what is there';
  const word = is !== undefined ? 'is' : 'ends';
  return (is ?? ends) !== undefined && at === undefined ? ` has ${word}, but no path (at) where to look for it` : undefined;
}
