import type { AttemptFailure } from '../attempt/AttemptFailure.ts';

/** A key that can't be made ready, as the failure of the attempt that needed it. */
export class KeyError extends Error {
  readonly failure: AttemptFailure;

  constructor(failure: AttemptFailure) {
    super(failure.what);
    this.failure = failure;
  }
}

const correctIt = 'correct the description of the service; this client sends nothing more';

/** A mistake in a part of the description that makes keys, such as `key.value`. */
export function keyMistake(what: string, advice = correctIt): KeyError {
  return new KeyError({ kind: 'auth', error: 'AuthError', what, advice });
}

/** The failure of an attempt whose key wasn't ready. The text of a user's own error is left out, because it may hold a secret. */
export function keyFailure(error: unknown): AttemptFailure {
  if (error instanceof KeyError) return error.failure;
  const { name = 'an error', code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  return keyMistake(`the service's key.value failed with ${String(name)}${typeof code === 'string' ? ` (${code})` : ''}`).failure;
}
