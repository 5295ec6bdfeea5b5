import type { S3Client } from '@aws-sdk/client-s3';
import type { Fingerprint } from './fingerprint.ts';
import type { Upload } from './PublishTarget.ts';

/** The SDK, which is loaded when it is needed. */
export type S3 = typeof import('@aws-sdk/client-s3');

interface S3UploadOptions {
  readonly s3: S3;
  readonly client: S3Client;
  readonly at: { readonly Bucket: string; readonly Key: string };
  readonly file: Fingerprint;
  readonly signal: { readonly abortSignal?: AbortSignal };
}

/** A multi-part upload. If an earlier one of this name is unfinished, its right parts are kept. */
export class S3Upload implements Omit<Upload, 'close'> {
  readonly kept = new Set<number>();
  readonly #etags = new Map<number, string>();
  readonly #options: S3UploadOptions;
  #id: string | undefined;

  constructor(options: S3UploadOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { s3, client, at, file, signal } = this.#options;
    const listed = await client.send(new s3.ListMultipartUploadsCommand({ Bucket: at.Bucket, Prefix: at.Key }), signal);
    // several publishers of one folder choose the same
    const ids = (listed.Uploads ?? []).flatMap(({ Key, UploadId }) => (Key === at.Key && UploadId !== undefined ? [UploadId] : []));
    this.#id = ids.toSorted()[0];
    if (this.#id !== undefined) return this.#findParts();
    const input = { ...at, ContentType: file.mediaType, Metadata: { sha256: file.sha256 } };
    this.#id = (await client.send(new s3.CreateMultipartUploadCommand(input), signal)).UploadId;
  }

  async put(part: number, bytes: Uint8Array): Promise<void> {
    const { s3, client, at, file, signal } = this.#options;
    const ContentMD5 = Buffer.from(file.md5s[part]!, 'hex').toString('base64');
    const input = { ...at, UploadId: this.#id, PartNumber: part + 1, Body: bytes, ContentMD5 };
    const { ETag } = await client.send(new s3.UploadPartCommand(input), signal);
    this.#etags.set(part, ETag ?? '');
  }

  async complete(): Promise<void> {
    const { s3, client, at, file, signal } = this.#options;
    const Parts = file.md5s.map((_, part) => ({ PartNumber: part + 1, ETag: this.#etags.get(part) }));
    await client.send(new s3.CompleteMultipartUploadCommand({ ...at, UploadId: this.#id, MultipartUpload: { Parts } }), signal);
  }

  async #findParts(): Promise<void> {
    const { s3, client, at, file, signal } = this.#options;
    let marker: string | undefined;
    do {
      const input = { ...at, UploadId: this.#id, PartNumberMarker: marker };
      const page = await client.send(new s3.ListPartsCommand(input), signal);
      for (const { PartNumber = 0, ETag = '' } of page.Parts ?? []) {
        if (ETag.replaceAll('"', '') !== file.md5s[PartNumber - 1]) continue;
        this.kept.add(PartNumber - 1);
        this.#etags.set(PartNumber - 1, ETag);
      }
      marker = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
  }
}
