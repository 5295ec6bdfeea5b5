import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { connectionHeaders, type StoredResponse } from '../contract/index.ts';

/** A stored response. */
export interface WarcRecord extends StoredResponse {
  readonly key: string;
  readonly url: string;
  /** When the response arrived, in milliseconds since 1970. */
  readonly at: number;
}

const endOfHead = Buffer.from('\r\n\r\n');

/**
 * The bytes of a record. `source` says where it is in the store, and makes its id unique. Only the body has a digest, because the
 * checksum of the gzip member covers everything.
 */
export function encodeRecord(record: WarcRecord, source: string): Buffer {
  const { key, url, at, body } = record;
  const fields = `WARC-Target-URI: ${url}\r
WARC-Payload-Digest: ${digestOf(body)}\r
Trawler-Key: ${key}\r
Content-Type: application/http;msgtype=response`;
  return encodeWarc('response', `${source} ${at} ${key}`, at, fields, Buffer.concat([Buffer.from(httpHead(record), 'latin1'), body]));
}

/** The first record of a segment: which program wrote it. */
export function encodeInfo(file: string, at: number): Buffer {
  const fields = `WARC-Filename: ${file}\r\nContent-Type: application/warc-fields`;
  return encodeWarc('warcinfo', `${file} ${at}`, at, fields, Buffer.from('software: trawler\r\nformat: WARC File Format 1.1\r\n'));
}

function encodeWarc(type: string, id: string, at: number, fields: string, block: Buffer): Buffer {
  const head = `WARC/1.1\r
WARC-Type: ${type}\r
WARC-Record-ID: ${recordId(id)}\r
WARC-Date: ${new Date(at).toISOString()}\r
${fields}\r
Content-Length: ${block.length}\r
\r
`;
  return Buffer.concat([Buffer.from(head, 'latin1'), block, endOfHead]);
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Why a record can't be used. `other`: it is complete, but not a response that trawler stored. */
export type RecordFault = 'damaged' | 'digest' | 'other';

/** Reads a record. `deep`: checks the digest of its body, too. */
export function decodeRecord(content: Buffer, deep: boolean = false): WarcRecord | RecordFault {
  const headEnd = content.indexOf(endOfHead);
  if (headEnd < 0) return 'damaged';
  const head = content.toString('latin1', 0, headEnd + 2);
  const start = headEnd + endOfHead.length;
  const length = Number(fieldOf(head, 'Content-Length'));
  if (!head.startsWith('WARC/1.') || content.length !== start + length + endOfHead.length) return 'damaged';
  const key = fieldOf(head, 'Trawler-Key');
  if (fieldOf(head, 'WARC-Type') !== 'response' || key === undefined) return 'other';
  const http = readHttp(content, start, start + length);
  const at = Date.parse(fieldOf(head, 'WARC-Date') ?? '');
  if (http === undefined || !Number.isFinite(at)) return 'damaged';
  if (deep && fieldOf(head, 'WARC-Payload-Digest') !== digestOf(http.body)) return 'digest';
  return { key, url: fieldOf(head, 'WARC-Target-URI') ?? '', at, ...http };
}

/** The value of a field in a header whose lines end in CR LF. */
function fieldOf(head: string, name: string): string | undefined {
  const label = `\r\n${name}: `;
  const at = head.indexOf(label);
  return at < 0 ? undefined : head.slice(at + label.length, head.indexOf('\r\n', at + label.length));
}

function recordId(of: string): string {
  const hex = createHash('sha256').update(of).digest('hex');
  // A UUID of version 8: its bits are free to choose.
  return `<urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}>`;
}

function httpHead({ status, headers }: Pick<WarcRecord, 'status' | 'headers'>): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || connectionHeaders.has(name)) continue;
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
  const headers = Object.create(null) as { [name: string]: string | string[] };
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(': ');
    if (colon <= 0) continue;
    const [name, value] = [line.slice(0, colon), line.slice(colon + 2)];
    const there = headers[name];
    headers[name] = there === undefined ? value : typeof there === 'string' ? [there, value] : [...there, value];
  }
  return { status, headers, body: content.subarray(headEnd + endOfHead.length, end) };
}
