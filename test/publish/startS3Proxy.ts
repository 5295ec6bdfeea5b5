import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { request as send, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { startServer, type TestServer } from '../client/startServer.ts';
import type { Swift } from './startSwift.ts';

export interface S3Request {
  readonly method: string;
  /** The key in the bucket, or '' for a list. */
  readonly key: string;
  readonly params: URLSearchParams;
  /** How many came before. */
  readonly index: number;
}

/**
 * What happens to a request. `cut`: nobody gets it. `lost`: the server does it, and nobody hears of it. `half`: the response ends
 * half-way. `old`: it says that what is there is 40 days old. `changed`: a byte of the body changes. `swallowed`: success, and nothing was done.
 */
export type S3Fault = '500' | '503' | 'cut' | 'lost' | 'half' | 'old' | 'changed' | 'swallowed' | undefined;

export interface S3Proxy extends TestServer {
  readonly requests: readonly S3Request[];
}

export interface S3ProxyOptions {
  readonly fault?: (request: S3Request) => S3Fault;
  /** Waited for before a request goes on. */
  readonly before?: (request: S3Request) => Promise<void> | void;
  /** Called when a response has been passed on. */
  readonly after?: (request: S3Request) => Promise<void> | void;
  /** Knows conditional writes, as S3 does. @default as Swift: refuses them */
  readonly conditions?: 'knows' | undefined;
}

/** Stands before a server that speaks S3, and disturbs what passes. */
export async function startS3Proxy(swift: Swift, { fault, before, after, conditions }: S3ProxyOptions = {}): Promise<S3Proxy> {
  const requests: S3Request[] = [];
  const key = new Lock();
  const server = await startServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', swift.url);
    const request = {
      method: incoming.method ?? 'GET',
      key: decodeURIComponent(url.pathname.slice(1)).replace(/^[^/]*\/?/, ''),
      params: url.searchParams,
      index: requests.length,
    };
    requests.push(request);
    void (async () => {
      await before?.(request);
      const body = await bodyOf(incoming);
      const conditional = incoming.headers['if-match'] ?? incoming.headers['if-none-match'];
      const serve =
        conditions !== undefined && request.method === 'PUT' && conditional !== undefined
          ? () => key.hold(() => putIf(swift, request.key, body, incoming.headers))
          : () => forward(swift, incoming, body);
      await pass(serve, incoming.method, body, outgoing, fault?.(request));
      await after?.(request);
    })().catch(() => outgoing.destroy());
  });
  return Object.assign(server, { requests });
}

async function pass(
  serve: () => Promise<Response>,
  method: string | undefined,
  body: Buffer,
  outgoing: ServerResponse,
  fault: S3Fault,
): Promise<void> {
  if (fault === 'cut') return void outgoing.destroy();
  if (fault === 'changed' && body.length > 0) body[body.length >> 1]! ^= 1;
  const swallowed = { status: 200, headers: { etag: `"${createHash('md5').update(body).digest('hex')}"` }, content: Buffer.alloc(0) };
  const { status, headers, content } =
    fault === '500' ? refusal(500, 'InternalError') : fault === '503' ? refusal(503, 'SlowDown') : fault === 'swallowed' && method === 'PUT' ? swallowed : await serve(); // prettier-ignore
  if (fault === 'lost') return void outgoing.destroy();
  if (fault === 'old') Object.assign(headers, { 'last-modified': new Date(Date.now() - 40 * 86_400_000).toUTCString() });
  outgoing.writeHead(status, headers);
  if (fault === 'half' && content.length > 1) outgoing.write(content.subarray(0, content.length >> 1), () => outgoing.destroy());
  else outgoing.end(content);
}

interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly content: Buffer;
}

function forward(swift: Swift, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Response> {
  return new Promise((resolve, reject) => {
    const passed = send(new URL(url ?? '/', swift.url), { method, headers: { ...headers, connection: 'close' } }, (response) => {
      const status = response.statusCode!;
      if (method === 'HEAD') resolve({ status, headers: { ...response.headers }, content: Buffer.alloc(0) }); // Swift sends a body, which is an error
      else bodyOf(response).then((content) => resolve({ status, headers: { ...response.headers }, content }), reject);
    });
    passed.on('error', reject);
    passed.end(body);
  });
}

/** What S3 does with `If-Match` and `If-None-Match` on a write. */
async function putIf({ client, bucket }: Swift, key: string, body: Buffer, headers: IncomingHttpHeaders): Promise<Response> {
  const sha256 = createHash('sha256').update(body).digest('hex');
  if (headers['x-amz-content-sha256'] !== sha256) return refusal(400, 'XAmzContentSHA256Mismatch');
  const at = { Bucket: bucket, Key: key };
  const there = await client.send(new HeadObjectCommand(at)).catch(() => undefined);
  const holds = headers['if-none-match'] === undefined ? there?.ETag === headers['if-match'] : there === undefined;
  if (!holds) return refusal(412, 'PreconditionFailed');
  const { ETag } = await client.send(new PutObjectCommand({ ...at, Body: body, ContentType: headers['content-type'] }));
  return { status: 200, headers: { etag: ETag! }, content: Buffer.alloc(0) };
}

function refusal(status: number, code: string): Response {
  const content = Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>disturbed</Message></Error>`);
  return { status, headers: { 'content-type': 'application/xml', 'content-length': String(content.length) }, content };
}

async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of stream) blocks.push(block as Buffer);
  return Buffer.concat(blocks);
}

class Lock {
  #last: Promise<unknown> = Promise.resolve();

  hold<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}
