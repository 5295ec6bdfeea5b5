import type { S3Client } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { SinkError } from '../errors/index.ts';
import { sha256Of, type Fingerprint } from './fingerprint.ts';
import { DamagedUpload, type PublishTarget, type TargetText } from './PublishTarget.ts';
import { isDamage, isTaken, isUnconditional, nameOf, s3Failure } from './s3Failure.ts';

/** The SDK, which is loaded when it is needed. */
export interface S3 {
  readonly s3: typeof import('@aws-sdk/client-s3');
  readonly Upload: typeof import('@aws-sdk/lib-storage').Upload;
}

interface S3TargetOptions extends S3 {
  readonly client: S3Client;
  readonly bucket: string;
  readonly prefix: string;
  readonly signal: AbortSignal | undefined;
}

/** Beside those of the SDK, which doesn't retry a broken body or a wrong digest. */
const attempts = 5;

/** A prefix in a bucket of S3, or of a server that speaks its language. */
export class S3Target implements PublishTarget {
  readonly url: string;
  readonly #s3: S3['s3'];
  readonly #Upload: S3['Upload'];
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #under: string;
  readonly #signal: { readonly abortSignal?: AbortSignal };
  /** undefined: not tried yet. */
  #knowsConditions: boolean | undefined;

  constructor({ s3, Upload, client, bucket, prefix, signal }: S3TargetOptions) {
    this.url = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`;
    this.#s3 = s3;
    this.#Upload = Upload;
    this.#client = client;
    this.#bucket = bucket;
    this.#under = prefix === '' ? '' : `${prefix}/`;
    this.#signal = signal === undefined ? {} : { abortSignal: signal };
  }

  get knowsConditions(): boolean {
    return this.#knowsConditions !== false;
  }

  async *list(under: string): AsyncIterable<string> {
    let token: string | undefined;
    do {
      const input = { Bucket: this.#bucket, Prefix: this.#key(under), ContinuationToken: token };
      const page = await this.#try('listing', () => this.#client.send(new this.#s3.ListObjectsV2Command(input), this.#signal));
      for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key.slice(this.#under.length);
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  async read(name: string): Promise<TargetText | undefined> {
    return this.#get(name, async (body, tag) => {
      const blocks: Uint8Array[] = [];
      for await (const block of body) blocks.push(block);
      return { text: Buffer.concat(blocks).toString(), tag };
    });
  }

  async swap(name: string, text: string, over: string | undefined): Promise<boolean> {
    if (!this.knowsConditions) return this.#swapInSteps(name, text, over);
    try {
      await this.#putText(name, text, over === undefined ? { IfNoneMatch: '*' } : { IfMatch: over });
    } catch (error) {
      if (isUnconditional(error)) this.#knowsConditions = false;
      else if (!isTaken(error)) throw s3Failure(this.url, `writing ${name}`, error);
      // taken, perhaps by a try of ours whose response was lost
      return this.#knowsConditions === false ? this.#swapInSteps(name, text, over) : (await this.read(name))?.text === text;
    }
    if (over === undefined) this.#knowsConditions ??= !(await this.#overwrites(name, text));
    return true;
  }

  async holds(name: string, file: Fingerprint): Promise<boolean> {
    let head;
    try {
      head = await this.#client.send(new this.#s3.HeadObjectCommand(this.#at(name)), this.#signal);
    } catch (error) {
      if (nameOf(error) === 'NotFound' || nameOf(error) === 'NoSuchKey') return false;
      throw s3Failure(this.url, `looking at ${name}`, error);
    }
    if (head.ContentLength !== file.bytes) return false;
    // Some servers, and S3 with keys of its own, have ETags that are no MD5. Then the file is read back.
    return head.ETag?.replaceAll('"', '') === etagOf(file) || this.#holdsBytes(name, file);
  }

  async put(name: string, content: AsyncIterable<Uint8Array>, { sha256, mediaType, partBytes }: Fingerprint): Promise<void> {
    const params = { ...this.#at(name), Body: Readable.from(content), ContentType: mediaType, Metadata: { sha256 } };
    // An unfinished upload is removed with what else its reservation left.
    const upload = new this.#Upload({ client: this.#client, params, partSize: partBytes, leavePartsOnError: true });
    await this.#try(`uploading ${name}`, () => upload.done());
  }

  async remove(name: string): Promise<void> {
    await this.#try(`removing ${name}`, () => this.#client.send(new this.#s3.DeleteObjectCommand(this.#at(name)), this.#signal));
  }

  async removeUploads(under: string): Promise<void> {
    const { ListMultipartUploadsCommand, AbortMultipartUploadCommand } = this.#s3;
    const input = { Bucket: this.#bucket, Prefix: this.#key(under) };
    const found = await this.#try('listing uploads', () => this.#client.send(new ListMultipartUploadsCommand(input), this.#signal));
    for (const { Key, UploadId } of found.Uploads ?? []) {
      const abort = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId });
      await this.#client.send(abort, this.#signal).catch((error: unknown) => {
        if (nameOf(error) !== 'NoSuchUpload') throw s3Failure(this.url, 'removing an unfinished upload', error);
      });
    }
  }

  close(): void {
    this.#client.destroy();
  }

  async #swapInSteps(name: string, text: string, over: string | undefined): Promise<boolean> {
    if ((await this.read(name))?.tag !== over) return false;
    await this.#try(`writing ${name}`, () => this.#putText(name, text, {}));
    return true;
  }

  /** Whether the server writes over a text although the condition says that nothing may be there. The text stays the same. */
  async #overwrites(name: string, text: string): Promise<boolean> {
    try {
      await this.#putText(name, text, { IfNoneMatch: '*' });
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      throw s3Failure(this.url, `writing ${name}`, error);
    }
  }

  async #putText(name: string, text: string, condition: { readonly IfMatch?: string; readonly IfNoneMatch?: string }): Promise<void> {
    const { PutObjectCommand } = this.#s3;
    const input = { ...this.#at(name), Body: Buffer.from(text), ContentType: 'application/json', ...condition };
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#client.send(new PutObjectCommand(input), this.#signal);
        return;
      } catch (error) {
        if (!isDamage(error) || attempt === attempts) throw error;
      }
    }
  }

  async #holdsBytes(name: string, { sha256 }: Fingerprint): Promise<boolean> {
    return (await this.#get(name, sha256Of)) === sha256;
  }

  /** Reads an object, again if the connection breaks half-way, which the SDK doesn't retry. undefined if there is none. */
  async #get<T>(name: string, take: (body: AsyncIterable<Uint8Array>, tag: string) => Promise<T>): Promise<T | undefined> {
    for (let attempt = 1; ; attempt++) {
      let body: AsyncIterable<Uint8Array> | undefined;
      try {
        const got = await this.#client.send(new this.#s3.GetObjectCommand(this.#at(name)), this.#signal);
        body = got.Body as AsyncIterable<Uint8Array>;
        return await take(body, got.ETag ?? '');
      } catch (error) {
        if (nameOf(error) === 'NoSuchKey' || nameOf(error) === 'NotFound') return undefined;
        if (body === undefined || attempt === attempts) throw s3Failure(this.url, `reading ${name}`, error);
      }
    }
  }

  async #try<T>(doing: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isDamage(error)) throw new DamagedUpload(nameOf(error));
      throw s3Failure(this.url, doing, error);
    }
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#bucket, Key: this.#key(name) };
  }

  #key(name: string): string {
    if (name.split('/').includes('..')) throw new SinkError(`${this.url}: the name ${name} leads out of it`);
    return this.#under + name;
  }
}

/** The ETag that S3 gives to this file: the MD5 of one part, or that of the MD5s of all. */
function etagOf({ md5s }: Fingerprint): string {
  if (md5s.length === 1) return md5s[0]!;
  const all = createHash('md5');
  for (const md5 of md5s) all.update(md5, 'hex');
  return `${all.digest('hex')}-${md5s.length}`;
}
