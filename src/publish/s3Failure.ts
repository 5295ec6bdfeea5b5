import { SinkError } from '../errors/index.ts';

/** The name that S3 gives to an error: `NoSuchBucket`. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

function statusOf(error: unknown): number | undefined {
  return (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

/** The condition of a write didn't hold. */
export function isTaken(error: unknown): boolean {
  return statusOf(error) === 412 || statusOf(error) === 409 || statusOf(error) === 404;
}

/** The server has no conditional writes. */
export function isUnconditional(error: unknown): boolean {
  return nameOf(error) === 'NotImplemented' || statusOf(error) === 501;
}

const damages = new Set(['BadDigest', 'XAmzContentSHA256Mismatch', 'IncompleteBody', 'InvalidPart', 'InvalidPartOrder', 'NoSuchUpload']);

/** What was sent arrived otherwise, or a part of it is gone. */
export function isDamage(error: unknown): boolean {
  return damages.has(nameOf(error));
}

const meanings: { readonly [name: string]: string } = {
  NoSuchBucket: 'there is no such bucket',
  AccessDenied: 'these credentials may not do that',
  Forbidden: 'these credentials may not do that',
  InvalidAccessKeyId: 'the server does not know this access key',
  SignatureDoesNotMatch: 'the secret key is wrong',
  CredentialsProviderError: 'no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  ExpiredToken: 'the credentials have expired',
  PermanentRedirect: 'the bucket is in another region: set AWS_REGION',
  AuthorizationHeaderMalformed: 'the bucket is in another region: set AWS_REGION',
  SlowDown: 'the server is too busy, in every attempt',
  ServiceUnavailable: 'the server is too busy, in every attempt',
  InternalError: 'the server failed in every attempt',
  TimeoutError: 'the server did not respond in time',
};

/** Wraps a failed request. The error of the SDK isn't its cause, since that knows the headers, and so the signature. */
export function s3Failure(url: string, doing: string, error: unknown): unknown {
  if (error instanceof SinkError || !(error instanceof Error) || error.name === 'AbortError') return error;
  const status = statusOf(error);
  const why = meanings[error.name] ?? (error.message || 'the server gave no reason');
  const advice = status === 403 || status === 404 ? '' : '. The same command resumes';
  const code = [error.name, status].filter((part) => part !== undefined && part !== 'Error').join(', ');
  return new SinkError(`${url}: ${doing} failed: ${why}${code === '' ? '' : ` (${code})`}${advice}`);
}
