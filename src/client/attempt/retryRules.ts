/** Kinds of failed attempts. */
export type FailureKind =
  | 'network'
  | 'lost'
  | 'rubbish'
  | 'timeout'
  | 'busy'
  | 'throttled'
  | 'unreadable'
  | 'unknownCode'
  | 'final'
  | 'auth';

interface RetryRule {
  /** How often one call retries after this kind of failure, within its total attempts. */
  readonly retries: number;
  /** Tokens a retry takes from the client's quota. 429 responses take none: the pace slows the whole client down. */
  readonly cost: number;
}

export const retryRules: { readonly [kind in FailureKind]: RetryRule } = {
  network: { retries: Infinity, cost: 5 }, // the connection failed
  lost: { retries: 4, cost: 0 }, //          the worker that sent it is gone
  rubbish: { retries: 1, cost: 5 }, //        the response isn't HTTP
  timeout: { retries: Infinity, cost: 10 },
  busy: { retries: Infinity, cost: 5 }, //    a temporary status
  throttled: { retries: Infinity, cost: 0 },
  unreadable: { retries: 2, cost: 5 }, //     HTTP 200, but not JSON, or no envelope
  unknownCode: { retries: 2, cost: 5 }, //    HTTP 200, but the envelope's code says otherwise
  final: { retries: 0, cost: 0 },
  auth: { retries: 0, cost: 0 },
};

const statuses: { readonly [status: number]: FailureKind } = {
  401: 'auth',
  403: 'auth',
  408: 'busy',
  425: 'busy',
  429: 'throttled',
  500: 'busy',
  502: 'busy',
  503: 'busy',
  504: 'busy',
  522: 'busy',
  524: 'busy',
};

/** What a status other than 200 means. */
export function statusKind(status: number): FailureKind {
  return statuses[status] ?? 'final';
}

const final = /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|ERR_INVALID_URL|UND_MOCK_|UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED|DESTROYED|CLOSED)$)/;
const finalWords = new Set(
  (
    'EPROTO DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE UNABLE_TO_GET_ISSUER_CERT ' +
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_DECRYPT_CERT_SIGNATURE PATH_LENGTH_EXCEEDED'
  ).split(' '),
);

const rubbish = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/** What a connection error means, by its code. */
export function networkKind(code: string | undefined): FailureKind {
  if (code === undefined) return 'network';
  if (final.test(code) || finalWords.has(code)) return 'final';
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
