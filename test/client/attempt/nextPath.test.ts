import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPath } from '../../../src/client/attempt/nextPath.ts';

const url = 'https://api.example.com/v1/things?page=1';
const own = '/v1';

describe('nextPath', () => {
  it.each([
    ['?page=2', '/v1/things?page=2'],
    ['things?page=2', '/v1/things?page=2'],
    ['/v1/other', '/v1/other'],
    ['/v1', '/v1'],
    ['https://api.example.com/v1/things?page=2#x', '/v1/things?page=2'],
    ['https://API.example.com:443/v1/x', '/v1/x'],
    ['/v1/../v1/x', '/v1/x'],
    ['/v1//x', '/v1//x'],
    ['/v1/a..b/...', '/v1/a..b/...'],
    ['/v1/x?back=/../admin', '/v1/x?back=/../admin'],
    ['/v1/100%25', '/v1/100%25'],
  ])('takes %s as %s', (address, path) => expect(nextPath(address, url, own)).toBe(path));

  it.each([
    'https://evil.example/v1/x',
    '//evil.example/v1/x',
    '\\\\evil.example\\v1\\x',
    'http://api.example.com/v1/x',
    'https://api.example.com:8443/v1/x',
    'https://api.example.com@evil.example/v1/x',
    'javascript:alert(1)',
    '/admin/delete',
    '/v10/x',
    '/V1/x',
    '//v1/x',
    '/v1/../admin',
    '/v1/..\\admin',
    '\\admin',
    '../admin',
    '/v1/%2e%2e/admin',
    '/v1/.%2E/admin',
    '/v1/..%2fadmin',
    '/v1/..%5cadmin',
    '/v1/%252e%252e/admin',
    '/v1/%25252e%25252e%25252fadmin',
    '/v1/..;/admin',
    '/v1/..;x=1/admin',
    '/v1/%2e%2e%3b/admin',
    '/%2e/admin',
    '/%76%31/../admin',
  ])('refuses %s', (address) => expect(nextPath(address, url, own)).toBeUndefined());

  it('allows any path where the client has none of its own', () => {
    expect(nextPath('/v3/x', url, '')).toBe('/v3/x');
  });

  it('never leads outside, however the address is spelled and as often as a server decodes it', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '%2e',
      '%2E',
      '%2f',
      '%5C',
      '%25',
      '2e',
      '2f',
      ';',
      'v1',
      'admin',
      '//',
      '%00',
      '?',
      '#',
      'a',
      '@',
      ':',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const path = nextPath(pieces.join(''), url, own);
        if (path === undefined) return;
        for (let decoded = path.split('?', 1)[0]!, before = ''; decoded !== before;) {
          const resolved = new URL(decoded.replaceAll(';', '/'), url);
          expect([resolved.origin, resolved.pathname.split('/')[1]]).toEqual(['https://api.example.com', 'v1']);
          before = decoded;
          decoded = decoded.replace(/%(2[5ef]|3b|5c)/gi, (escape) => decodeURIComponent(escape));
        }
      }),
      { numRuns: process.env['TRAWLER_LONG'] === '1' ? 100_000 : 1000 },
    );
  });
});
