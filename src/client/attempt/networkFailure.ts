import { NetworkError } from '../../errors/index.ts';
import { printable } from '../answer/printable.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import { codeOf, networkKind } from './retryRules.ts';

/** A connection that failed; `status` is 0 where no answer had begun. */
export function networkFailure(error: Error, status: number): AttemptFailure {
  const code = codeOf(error);
  // Once the answer has begun, a length that does not match is a body that broke off, and no more rubbish than a reset.
  const brokeOff = status !== 0 && code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  const kind = brokeOff ? 'network' : networkKind(code);
  const text = error.message === '' ? (code ?? error.name) : printable(error.message);
  const when = status === 0 ? '' : ' in the middle of the answer';
  return {
    kind,
    error: NetworkError,
    what: `the connection failed${when}: ${code === undefined || text.includes(code) ? text : `${text} (${code})`}`,
    advice: kind === 'final' ? 'check baseUrl, its certificate and the dispatcher; trying again would not help' : undefined,
    details: { status: status === 0 ? undefined : status },
    cause: error,
  };
}
