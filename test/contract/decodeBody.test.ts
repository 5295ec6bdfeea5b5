import { randomBytes } from 'node:crypto';
import * as zlib from 'node:zlib';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeBody } from '../../src/contract/decodeBody.ts';

const text = Buffer.from('some text, '.repeat(1000));
const decode = (body: Buffer, encoding: string, maxBytes = 2 ** 25): Promise<[string | undefined, Buffer]> =>
  new Promise((done) => decodeBody(body, { 'content-encoding': encoding }, maxBytes, (fault, decoded) => done([fault, decoded])));

describe('decodeBody', () => {
  it.each([
    ['', text],
    ['identity', text],
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
  ])('undoes %j', async (encoding, body) => expect(await decode(body, encoding)).toEqual([undefined, text]));

  it('decompresses a body with a wrong length at its end', async () => {
    const members = Buffer.concat([gzipSync(text), gzipSync('x')]); // they say 1
    expect(await decode(members, 'gzip')).toEqual([undefined, Buffer.concat([text, Buffer.from('x')])]);
    const lies = gzipSync(text);
    lies.fill(0xff, lies.length - 4);
    expect((await decode(lies, 'gzip'))[0]).toBe('corrupt');
  });

  it('decompresses a large body off the event loop', async () => {
    const large = randomBytes(600_000);
    let turns = 0;
    const count = setImmediate(() => turns++);
    const [fault, decoded] = await decode(gzipSync(large), 'gzip');
    clearImmediate(count);
    expect(fault).toBeUndefined();
    expect(decoded.equals(large)).toBe(true);
    expect(turns).toBe(1);
  });

  it.each(['gzip', 'deflate', 'br'])('tells a %s body that breaks off from one that is rubbish', async (encoding) => {
    const body = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[encoding]!(text);
    expect((await decode(body.subarray(0, body.length - 6), encoding))[0]).toBe('truncated');
    const rubbish = Buffer.concat([body.subarray(0, 3), Buffer.alloc(100, 0xff)]);
    expect((await decode(rubbish, encoding))[0]).toBe('corrupt');
  });

  it('stops a bomb at the cap, small or large', async () => {
    expect((await decode(gzipSync(Buffer.alloc(40 * 2 ** 20), { level: 1 }), 'gzip'))[0]).toBe('tooLarge');
    expect((await decode(gzipSync(randomBytes(600_000)), 'gzip', 500_000))[0]).toBe('tooLarge');
  });

  it('refuses an encoding that was not requested', async () => expect((await decode(text, 'compress'))[0]).toBe('unknownEncoding'));

  it('goes by the first bytes, not by the header', async () => {
    for (const encoding of ['', 'br', 'zstd', 'gzip', 'compress']) {
      expect(await decode(gzipSync(text), encoding)).toEqual([undefined, text]);
      expect(await decode(deflateSync(text), encoding)).toEqual([undefined, text]);
      expect(await decode(gzipSync(gzipSync(text)), encoding)).toEqual([undefined, text]);
    }
    for (const encoding of ['gzip', 'zstd', 'br', 'deflate']) expect(await decode(text, encoding)).toEqual([undefined, text]);
  });

  it('needs a newer Node for zstd', async () => {
    const packed = Buffer.from('KLUv/SALWQAAc29tZSB0ZXh0LCA=', 'base64');
    const expected = 'zstdDecompressSync' in zlib ? [undefined, Buffer.from('some text, ')] : ['needsNewerNode', packed];
    expect(await decode(packed, '')).toEqual(expected);
  });
});
