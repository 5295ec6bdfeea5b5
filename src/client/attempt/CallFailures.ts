import type { FailureKind } from '../../errors/index.ts';
import type { AttemptFailure } from './AttemptFailure.ts';

/** The failed attempts of one call. */
export class CallFailures {
  readonly #ofKind: { [kind in FailureKind]?: number } = {};
  #inRow = 0;
  #last: AttemptFailure | undefined;
  #resent = false;
  #renewed = false;

  /** The last one that led to another attempt. */
  get last(): AttemptFailure | undefined {
    return this.#last;
  }

  /** Those since the service last answered. */
  get inRow(): number {
    return this.#inRow;
  }

  ofKind(kind: FailureKind): number {
    return this.#ofKind[kind] ?? 0;
  }

  /** Whether it says nothing of the service, so that the next attempt may go at once: once for each of the reasons. */
  isFree({ stale, renewed }: AttemptFailure, repeatable: boolean): boolean {
    if (stale === true && !this.#resent && repeatable) return (this.#resent = true);
    if (renewed === true && !this.#renewed) return (this.#renewed = true);
    return false;
  }

  count(kind: FailureKind): void {
    this.#inRow++;
    this.#ofKind[kind] = this.ofKind(kind) + 1;
  }

  /** Another attempt follows. */
  ledOn(failure: AttemptFailure): void {
    this.#last = failure;
  }

  /** The service has answered. */
  answered(): void {
    this.#inRow = 0;
  }
}
