import { gzipSync } from 'node:zlib';
import type { StoredResponse, StoreRequest } from '../../src/store/index.ts';

/** The nth request of a test, and the response that belongs to it. */
export function requestOf(id: number | string, operation = 'search'): StoreRequest {
  return { service: 'test', operation, query: `id=${id}`, url: `https://api.example.com/${operation}?id=${id}` };
}

export function responseOf(id: number | string, size = 100, encoding: 'gzip' | 'identity' = 'gzip'): StoredResponse {
  const text = JSON.stringify({ code: 200, data: { id, filler: 'é'.repeat(size) } });
  const body = encoding === 'gzip' ? gzipSync(text) : Buffer.from(text);
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length), 'x-two': ['a', 'b'] };
  return { status: 200, headers: encoding === 'gzip' ? { ...headers, 'content-encoding': 'gzip' } : headers, body };
}
