import { printable } from '../response/printable.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import { codeOf, networkKind } from './networkKind.ts';

/** A failed connection. `status` is 0 if no response had begun. */
export function networkFailure(error: Error, status: number): AttemptFailure {
  const code = codeOf(error);
  // Once the response has begun, a wrong length means the body was cut off, like a reset. It doesn't mean invalid HTTP.
  const brokeOff = status !== 0 && code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
  const kind = brokeOff ? 'network' : networkKind(code);
  const text = error.message === '' ? (code ?? error.name) : printable(error.message);
  const when = status === 0 ? '' : ' in the middle of the response';
  return {
    kind,
    error: 'NetworkError',
    what: `the connection failed${when}: ${code === undefined || text.includes(code) ? text : `${text} (${code})`}`,
    advice: kind === 'away' ? 'check baseUrl, its certificate and the dispatcher; trying again would not help' : undefined,
    details: { status: status === 0 ? undefined : status },
    cause: { name: error.name, message: error.message, code: ownCodeOf(error) },
  };
}

function ownCodeOf({ code }: Error & { readonly code?: unknown }): string | undefined {
  return typeof code === 'string' ? code : undefined;
}
