import { printable } from '../response/printable.ts';
import type { AttemptFailure } from './AttemptFailure.ts';
import type { FailureKind } from '../../errors/index.ts';

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

/** No connection can be made as configured: the certificate, the address, the dispatcher. */
const misconfigured = /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|ERR_INVALID_URL|UND_MOCK_|UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|DESTROYED|CLOSED)$)/;
const certificateFaults = new Set(
  (
    'EPROTO DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE UNABLE_TO_GET_ISSUER_CERT ' +
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_DECRYPT_CERT_SIGNATURE PATH_LENGTH_EXCEEDED'
  ).split(' '),
);
const rubbish = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** What a connection error means, by its code. */
export function networkKind(code: string | undefined): FailureKind {
  if (code === undefined) return 'network';
  if (misconfigured.test(code) || certificateFaults.has(code)) return 'away';
  return code.startsWith('HPE_') || rubbish.has(code) ? 'rubbish' : 'network';
}

/** The code of a network error: its own, its cause's, or that of the first of several. */
export function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined;
  const { code, name, cause, errors } = error as { readonly [field: string]: unknown };
  if (typeof code === 'string') return code;
  if (name === 'HTTPParserError') return 'HPE_UNKNOWN'; // undici has no code for some of them
  return codeOf(cause, depth + 1) ?? (Array.isArray(errors) ? codeOf(errors[0], depth + 1) : undefined);
}
