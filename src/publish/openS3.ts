import { SinkError } from '../errors/index.ts';
import { type S3, S3Target } from './S3Target.ts';

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
  const { s3, Upload } = await load();
  const endpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? (endpoint === undefined ? undefined : 'us-east-1');
  const client = new s3.S3Client({
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? {} : { region }),
    maxAttempts: 8,
    retryMode: 'standard',
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
    // Other servers than S3 don't know these checksums. We compare digests ourselves.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  return new S3Target({ s3, Upload, client, bucket, prefix, signal });
}

async function load(): Promise<S3> {
  try {
    const [s3, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
    return { s3, Upload };
  } catch (cause) {
    throw new SinkError('Publishing to S3 needs two more packages: npm install @aws-sdk/client-s3 @aws-sdk/lib-storage', { cause });
  }
}
