import { SinkError } from '../errors/index.ts';
import { S3Target } from './S3Target.ts';
import type { S3 } from './S3Upload.ts';

interface OpenS3Options {
  readonly bucket: string;
  readonly prefix: string;
  readonly env: { readonly [name: string]: string | undefined };
  readonly signal: AbortSignal | undefined;
}

/**
 * Opens a target in S3, or in another server that speaks its language. Temporary failures are retried: 500, 502, 503, 504,
 * SlowDown, 429, and what the network does, up to 8 attempts with a growing pause of 20 seconds at most.
 */
export async function openS3({ bucket, prefix, env, signal }: OpenS3Options): Promise<S3Target> {
  const s3 = await load();
  const endpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? (endpoint === undefined ? undefined : 'us-east-1');
  const client = new s3.S3Client({
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? {} : { region }),
    maxAttempts: 8,
    retryMode: 'standard',
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
    // Others than S3 don't know these checksums. We compare digests ourselves.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return new S3Target({ s3, client, bucket, prefix, signal });
}

async function load(): Promise<S3> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (cause) {
    throw new SinkError('Publishing to S3 needs one more package: npm install @aws-sdk/client-s3', { cause });
  }
}
