import { STATUS_CODES } from 'node:http';
import { digestText, parseDigest, sha1, sha1Hex } from './digest.ts';
import type { StoredResponse } from '../contract/index.ts';

/** One record of a segment. */
export interface WarcRecord {
  readonly type: 'response' | 'revisit';
  readonly key: string;
  readonly url: string;
  /** When the response arrived, in milliseconds since 1970. */
  readonly at: number;
  readonly status: number;
  readonly headers: StoredResponse['headers'];
  /** Empty for a `revisit`. Its body is in another record with the same digest. */
  readonly body: Buffer;
  /** The SHA-1 of the body. */
  readonly payload: Buffer;
}

/** What a `revisit` says about the record with its body. */
interface Original {
  readonly url: string;
  readonly at: number;
}

const endOfHead = Buffer.from('\r\n\r\n');
/** They describe the connection, not the response. The body is stored without them. */
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection', 'trailer']);

const maxScratch = 2 ** 20;
let scratch = Buffer.alloc(0);

/** Memory for buffers that are made one after the other, with any content. Each is valid until the next one is made. */
function takeScratch(size: number): Buffer {
  if (size > maxScratch) return Buffer.allocUnsafe(size);
  if (size > scratch.length) scratch = Buffer.allocUnsafeSlow(Math.ceil(size * 1.5));
  return scratch.subarray(0, size);
}

/**
 * A record as bytes, which hold until the next one is made. `source` is its position in the store, and makes its id. Only the body
 * has a digest: a second one, of the body and the few headers before it, would take as long.
 * The checksum of the gzip member covers everything.
 */
export function encodeRecord(record: WarcRecord, source: string, original?: Original): Buffer {
  const { type, key, url, at, payload, body } = record;
  const http = httpHead(record);
  const length = http.length + (type === 'revisit' ? 0 : body.length);
  const refersTo =
    original === undefined
      ? ''
      : `WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r
WARC-Refers-To-Target-URI: ${original.url}\r
WARC-Refers-To-Date: ${new Date(original.at).toISOString()}\r
`;
  const head = `WARC/1.1\r
WARC-Type: ${type}\r
WARC-Record-ID: ${recordId(`${source} ${at} ${key}`)}\r
WARC-Date: ${new Date(at).toISOString()}\r
WARC-Target-URI: ${url}\r
${refersTo}WARC-Payload-Digest: ${digestText(payload)}\r
Trawler-Key: ${key}\r
Content-Type: application/http;msgtype=response\r
Content-Length: ${length}\r
\r
${http}`;
  const size = head.length + length - http.length + endOfHead.length;
  const bytes = takeScratch(size);
  bytes.write(head, 'latin1');
  if (type === 'response') body.copy(bytes, head.length);
  endOfHead.copy(bytes, size - endOfHead.length);
  return bytes;
}

/** The first record of a segment: which program wrote it. */
export function encodeInfo(file: string, at: number): Buffer {
  const block = Buffer.from('software: trawler\r\nformat: WARC File Format 1.1\r\n');
  const lines = [
    'WARC/1.1',
    'WARC-Type: warcinfo',
    `WARC-Record-ID: ${recordId(`${file} ${at}`)}`,
    `WARC-Date: ${new Date(at).toISOString()}`,
    `WARC-Filename: ${file}`,
    `WARC-Block-Digest: ${digestText(sha1(block))}`,
    'Content-Type: application/warc-fields',
    `Content-Length: ${block.length}`,
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(lines.join('\r\n')), block, endOfHead]);
}

/** Why a record can't be used. `other`: it is whole, but not one of ours. */
type RecordFault = 'damaged' | 'digest' | 'other';

/** Reads a record and checks its digests, unless a checksum of the whole record was `checked` before. */
export function decodeRecord(content: Buffer, checked: boolean = false): WarcRecord | RecordFault {
  const headEnd = content.indexOf(endOfHead);
  if (headEnd < 0) return 'damaged';
  const head = content.toString('latin1', 0, headEnd + 2);
  const start = headEnd + endOfHead.length;
  const length = Number(fieldOf(head, 'Content-Length'));
  if (!head.startsWith('WARC/1.') || content.length !== start + length + endOfHead.length) return 'damaged';
  const ofBlock = checked ? undefined : parseDigest(fieldOf(head, 'WARC-Block-Digest'));
  if (ofBlock?.equals(sha1(content.subarray(start, start + length))) === false) return 'digest';
  const type = fieldOf(head, 'WARC-Type');
  const key = fieldOf(head, 'Trawler-Key');
  const payload = parseDigest(fieldOf(head, 'WARC-Payload-Digest'));
  const at = Date.parse(fieldOf(head, 'WARC-Date') ?? '');
  if ((type !== 'response' && type !== 'revisit') || key === undefined) return 'other';
  const http = readHttp(content, start, start + length);
  if (http === undefined || payload === undefined || !Number.isFinite(at)) return 'damaged';
  if (!checked && type === 'response' && !payload.equals(sha1(http.body))) return 'digest';
  const { status, headers, body } = http;
  return { type, key, url: fieldOf(head, 'WARC-Target-URI') ?? '', at, status, headers, body, payload };
}

/** The value of a field in a header whose lines end in CR LF. */
function fieldOf(head: string, name: string): string | undefined {
  const label = `\r\n${name}: `;
  const at = head.indexOf(label);
  return at < 0 ? undefined : head.slice(at + label.length, head.indexOf('\r\n', at + label.length));
}

function recordId(of: string): string {
  const hex = sha1Hex(of);
  // A UUID of version 8: its bits are free to choose.
  return `<urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}>`;
}

function httpHead({ status, headers }: Pick<WarcRecord, 'status' | 'headers'>): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || ofConnection.has(name)) continue;
    if (typeof value === 'string') head += `${name}: ${oneLine(value)}\r\n`;
    else for (const one of value) head += `${name}: ${oneLine(one)}\r\n`;
  }
  return `${head}\r\n`;
}

function oneLine(value: string): string {
  return /[\r\n]/.test(value) ? value.replaceAll(/[\r\n]+/g, ' ') : value;
}

/** The response between two positions. */
function readHttp(content: Buffer, start: number, end: number): StoredResponse | undefined {
  const headEnd = content.indexOf(endOfHead, start);
  if (headEnd < 0 || headEnd + endOfHead.length > end) return undefined;
  const head = content.toString('latin1', start, headEnd + 2);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
  if (!Number.isInteger(status)) return undefined;
  const headers: { [name: string]: string | string[] } = Object.create(null) as object as { [name: string]: string | string[] };
  let lineEnd: number;
  for (let at = head.indexOf('\r\n') + 2; at < head.length; at = lineEnd + 2) {
    lineEnd = head.indexOf('\r\n', at);
    const colon = head.indexOf(': ', at);
    if (colon <= at || colon > lineEnd) continue;
    const name = head.slice(at, colon);
    const value = head.slice(colon + 2, lineEnd);
    const there = headers[name];
    headers[name] = there === undefined ? value : typeof there === 'string' ? [there, value] : [...there, value];
  }
  return { status, headers, body: content.subarray(headEnd + endOfHead.length, end) };
}
