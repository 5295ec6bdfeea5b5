import type { AttemptFailure } from '../attempt/AttemptFailure.ts';

/** So many 403 in a row, without a good response between, are about the key after all. */
const mostInRow = 10;

/** What is known of a key: whether a 403 is about it, or about a single query, as many services mean it. */
export class KeyTrust {
  /** Those since the last good response. undefined: nothing has come with the key yet. */
  #inRow: number | undefined;

  /** A good response came with the key. */
  accepted(): void {
    this.#inRow = 0;
  }

  /** The failure, which is that of its query if the key is good. A 401 is always about the key. */
  judge(failure: AttemptFailure): AttemptFailure {
    const { kind, details: { status, code } = {} } = failure;
    const isForbidden = status === 403 || (status === 200 && String(code) === '403');
    if (kind !== 'auth' || !isForbidden || this.#inRow === undefined || ++this.#inRow >= mostInRow) return failure;
    const error = status === 403 ? 'HttpError' : 'EnvelopeError';
    return { ...failure, kind: 'final', error, advice: `the key is good for other queries; ${mostInRow} in a row stop this client` };
  }
}
