import type { FailureKind } from '../../errors/index.ts';

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
