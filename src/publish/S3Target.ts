import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { Readable } from 'node:stream';
import { dayMs } from '../../operators/kit/days.ts';
import { SinkError } from '../errors/index.ts';
import type { LocalFile, PublishTarget } from './publishFolder.ts';

type S3 = typeof import('@aws-sdk/client-s3') & Pick<typeof import('@aws-sdk/lib-storage'), 'Upload'>;

const mebibyte = 2 ** 20;
/** An older file is uploaded again, even if it is the same. So a rule of the bucket may remove files that are much older than this. */
const recentMs = 30 * dayMs;

/** A prefix in a bucket of S3, or of a server with the same protocol. */
export class S3Target implements PublishTarget {
  readonly url: string;
  knowsConditions = true;
  readonly #s3: S3;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #under: string;
  readonly #signal: { readonly abortSignal?: AbortSignal };

  private constructor(s3: S3, client: S3Client, bucket: string, prefix: string, signal: AbortSignal | undefined) {
    this.url = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
    this.#s3 = s3;
    this.#client = client;
    this.#bucket = bucket;
    this.#under = prefix === '' ? '' : `${prefix}/`;
    this.#signal = signal === undefined ? {} : { abortSignal: signal };
  }

  /**
   * Temporary failures are retried, in up to 8 attempts with growing pauses: 429, 500, 502, 503, 504, SlowDown, and those of the network.
   */
  static async open(
    bucket: string,
    prefix: string,
    env: { readonly [name: string]: string | undefined },
    signal?: AbortSignal,
  ): Promise<S3Target> {
    const s3 = await load();
    const endpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
    const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? (endpoint === undefined ? undefined : 'us-east-1');
    const client = new s3.S3Client({
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      ...(region === undefined ? {} : { region }),
      maxAttempts: 8,
      retryMode: 'standard',
      requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
      // Servers other than S3 don't know these checksums. They aren't needed: the signature covers the SHA-256 of what is sent.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    return new S3Target(s3, client, bucket, prefix, signal);
  }

  async read(name: string): Promise<{ readonly text: string; readonly tag: string } | undefined> {
    return this.#try(`reading ${name}`, async () => {
      const { Body, ETag = '' } = await this.#client.send(new this.#s3.GetObjectCommand(this.#at(name)), this.#signal);
      return { text: await Body!.transformToString(), tag: ETag };
    });
  }

  async swap(name: string, text: string, over: string | undefined): Promise<boolean> {
    const put = (condition: Partial<PutObjectCommandInput>): Promise<unknown> => {
      const input = { ...this.#at(name), Body: Buffer.from(text), ContentType: 'application/json', ...condition };
      return this.#client.send(new this.#s3.PutObjectCommand(input), this.#signal);
    };
    try {
      if (this.knowsConditions) await put(over === undefined ? { IfNoneMatch: '*' } : { IfMatch: over });
    } catch (error) {
      if ([404, 409, 412].includes(statusOf(error)!)) return false;
      if (statusOf(error) !== 501) throw this.#failure(`writing ${name}`, error);
      this.knowsConditions = false;
    }
    if (this.knowsConditions) return true;
    if ((await this.read(name))?.tag !== over) return false;
    await this.#try(`writing ${name}`, () => put({}));
    return true;
  }

  async holds(name: string, { bytes, sha256 }: LocalFile): Promise<boolean> {
    const head = await this.#try(`looking at ${name}`, () =>
      this.#client.send(new this.#s3.HeadObjectCommand(this.#at(name)), this.#signal),
    );
    const isRecent = Date.now() - (head?.LastModified?.getTime() ?? 0) < recentMs;
    return isRecent && head?.ContentLength === bytes && head.Metadata?.['sha256'] === sha256;
  }

  async put(name: string, content: AsyncIterable<Uint8Array>, file: LocalFile): Promise<boolean> {
    const { bytes, sha256, mediaType } = file;
    const params = { ...this.#at(name), Body: Readable.from(content), ContentType: mediaType, Metadata: { sha256 } };
    const partSize = Math.max(8, Math.ceil(bytes / 10_000 / mebibyte)) * mebibyte; // S3 takes at most 10,000 parts
    try {
      await new this.#s3.Upload({ client: this.#client, params, partSize }).done();
    } catch (error) {
      if (!damages.has((error as Error).name)) throw this.#failure(`uploading ${name}`, error);
    }
    return this.holds(name, file);
  }

  close(): void {
    this.#client.destroy();
  }

  /** Runs a request. undefined: there is no such object. */
  async #try<T>(doing: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (['NotFound', 'NoSuchKey'].includes((error as Error).name)) return undefined;
      throw this.#failure(doing, error);
    }
  }

  /** The SDK's error must not become the `cause`: it holds the headers with the signature. */
  #failure(doing: string, error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof SinkError || error.name === 'AbortError') return error;
    const status = statusOf(error);
    const why = error.message || 'the server gave no reason';
    const code = [error.name, status].filter((part) => part !== undefined && part !== 'Error').join(', ');
    const advice = status === 403 || status === 404 ? '' : '. The same command resumes';
    return new SinkError(`${this.url}: ${doing} failed: ${why}${code === '' ? '' : ` (${code})`}${advice}`);
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#under + name };
  }
}

async function load(): Promise<S3> {
  try {
    const [s3, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
    return { ...s3, Upload };
  } catch (cause) {
    throw new SinkError('Publishing to S3 needs two more packages: npm install @aws-sdk/client-s3 @aws-sdk/lib-storage', { cause });
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

/** The errors that mean that the content arrived damaged, or that a part of it is gone. */
const damages = new Set(['BadDigest', 'XAmzContentSHA256Mismatch', 'IncompleteBody', 'InvalidPart', 'InvalidPartOrder', 'NoSuchUpload']);
