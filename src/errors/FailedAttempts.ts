import type { FailureKind } from './TrawlerError.ts';

/** How many attempts of a client or a run failed for one reason. */
export interface FailedAttempts {
  /** Such as `HTTP 503`, or `a timeout`. */
  readonly because: string;
  readonly count: number;
  /** How long they took, with the waits before their retries. Requests wait at the same time, so the sum may be longer than the run. */
  readonly lostMs: number;
}

/** The reasons for failures without a status. */
const reasons: { readonly [kind in FailureKind]?: string } = {
  network: 'a broken connection',
  timeout: 'a timeout',
  rubbish: 'a response that is not HTTP',
  unreadable: 'an unreadable response',
  website: 'a web page',
  lost: 'a lost worker',
};

/** Counts the failed attempts of a client by their reasons. */
export class FailureCounts {
  readonly #all = new Map<string, { count: number; lostMs: number }>();

  add(failed: Failed, lostMs: number): void {
    this.addAll([{ because: becauseOf(failed), count: 1, lostMs }]);
  }

  addAll(more: readonly FailedAttempts[]): this {
    for (const { because, count, lostMs } of more) {
      const counted = this.#all.get(because) ?? { count: 0, lostMs: 0 };
      this.#all.set(because, { count: counted.count + count, lostMs: counted.lostMs + lostMs });
    }
    return this;
  }

  /** The most frequent first. */
  get list(): readonly FailedAttempts[] {
    return Array.from(this.#all, ([because, counted]) => ({ because, ...counted })).toSorted((one, other) => other.count - one.count);
  }
}

interface Failed {
  readonly kind: FailureKind;
  readonly details?: { readonly status?: number | undefined; readonly code?: string | number | undefined } | undefined;
}

/** The reason in words. It contains no text of the service, which may hold anything. */
function becauseOf({ kind, details: { status, code } = {} }: Failed): string {
  if (status !== undefined && status !== 200) return `HTTP ${status}`;
  return reasons[kind] ?? (typeof code === 'number' ? `code ${code}` : 'an error in the response');
}

/** The attempts that failed since `before`. */
export function failedSince(now: readonly FailedAttempts[], before: readonly FailedAttempts[]): readonly FailedAttempts[] {
  return now.flatMap(({ because, count, lostMs }) => {
    const earlier = before.find((one) => one.because === because);
    const left = count - (earlier?.count ?? 0);
    return left > 0 ? [{ because, count: left, lostMs: Math.round(lostMs - (earlier?.lostMs ?? 0)) }] : [];
  });
}

const shownReasons = 2;

/** The most frequent reasons in short, such as `44 × 503`. */
export function shownAttempts(failed: readonly FailedAttempts[], format: (count: number) => string): readonly string[] {
  const rest = failed.slice(shownReasons).reduce((sum, { count }) => sum + count, 0);
  const shown = failed.slice(0, shownReasons).map(({ because, count }) => `${format(count)} × ${because.replace(/^(an? |HTTP )/, '')}`);
  return rest === 0 ? shown : [...shown, `${format(rest)} × other failures`];
}
