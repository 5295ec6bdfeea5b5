import type { Clock } from '../Clock.ts';
import type { Proof, Credential } from './Credential.ts';
import type { AttemptFailure } from '../attempt/AttemptFailure.ts';

/** The secrets that were made, and until when they are used, on the client's clock. */
export interface Made {
  readonly carried: Proof;
  readonly until: number;
}

/**
 * Secrets that take time to make and may expire. They are made once for all requests that wait for them, again before they expire, and
 * again once the service has refused them.
 */
export class Renewed implements Credential {
  readonly #make: () => Made | Promise<Made>;
  readonly #clock: Clock;
  readonly #pauseMs: (failures: number) => number;
  #made: Made | undefined;
  #making: Promise<Proof> | undefined;
  #lasts = false;
  /** Failures since it was last made. */
  #failures = 0;
  #notBefore = -Infinity;

  /** `pauseMs`: how long nothing is made after a number of failures in a row. */
  constructor(make: () => Made | Promise<Made>, clock: Clock, pauseMs: (failures: number) => number = () => 0) {
    this.#make = make;
    this.#clock = clock;
    this.#pauseMs = pauseMs;
  }

  carry(): Proof | Promise<Proof> {
    if (this.#made !== undefined && (this.#made.until === Infinity || this.#clock.now() < this.#made.until)) return this.#made.carried;
    if (this.#making !== undefined) return this.#making;
    const waitMs = this.#notBefore - this.#clock.now();
    const made = waitMs > 0 ? this.#waited(waitMs).then(this.#make) : this.#make();
    if (!(made instanceof Promise)) {
      this.#lasts = true;
      return (this.#made = made).carried;
    }
    this.#making = made.then(
      (done) => {
        this.#making = undefined;
        this.#failures = 0;
        return (this.#made = done).carried;
      },
      (error: unknown) => {
        this.#making = undefined;
        this.#notBefore = this.#clock.now() + this.#pauseMs(++this.#failures);
        throw error;
      },
    );
    return this.#making;
  }

  /** Of many requests that were refused together, the first leads to a renewal, and all carry its result. */
  refused(carried: Proof): boolean {
    if (this.#lasts) return false;
    if (this.#made?.carried === carried) this.#made = undefined;
    return true;
  }

  #waited(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve));
  }
}

/** A key that can't be made ready, as the failure of the attempt that needed it. */
export class KeyError extends Error {
  readonly failure: AttemptFailure;

  constructor(failure: AttemptFailure) {
    super(failure.what);
    this.failure = failure;
  }
}

const correctIt = 'correct the description of the service; this client sends nothing more';

/** A mistake in a part of the description that makes keys, such as `token`. */
export function keyMistake(what: string, advice = correctIt): KeyError {
  return new KeyError({ kind: 'auth', error: 'AuthError', what, advice });
}

/** The failure of an attempt whose key wasn't ready. The text of a user's own error is left out, because it may hold a secret. */
export function keyFailure(error: unknown): AttemptFailure {
  if (error instanceof KeyError) return error.failure;
  const { name = 'an error', code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return keyMistake(`the key could not be made: it failed with ${String(name)}${typeof code === 'string' ? ` (${code})` : ''}`).failure;
}
