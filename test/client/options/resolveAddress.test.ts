import { describe, expect, it } from 'vitest';
import { resolveAddress } from '../../../src/client/options/resolveOptions.ts';

describe('resolveAddress', () => {
  it.each([
    ['https://api.example.com', '/api/v1/engine', 'https://api.example.com', '/api/v1/engine'],
    ['https://api.example.com/', 'api/v1/engine/', 'https://api.example.com', '/api/v1/engine'],
    ['https://api.example.com:8443/gateway/', '/v1', 'https://api.example.com:8443', '/gateway/v1'],
    ['https://api.example.com', '', 'https://api.example.com', ''],
    ['https://api.example.com', '/', 'https://api.example.com', ''],
    ['HTTPS://API.example.com', '/v1', 'https://api.example.com', '/v1'],
    ['http://127.0.0.1:8080', '/v1', 'http://127.0.0.1:8080', '/v1'],
    ['http://localhost:8080', '/v1', 'http://localhost:8080', '/v1'],
    ['http://[::1]:8080', '/v1', 'http://[::1]:8080', '/v1'],
  ])('reads %s with %j', (baseUrl, pathPrefix, origin, prefix) => {
    expect(resolveAddress(baseUrl, pathPrefix, false)).toEqual({ origin, prefix });
  });

  it.each([
    'http://api.example.com',
    'http://10.0.0.1',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://[::2]',
    'ftp://api.example.com',
    'file:///etc/passwd',
    'api.example.com',
    'https://',
    '//api.example.com',
    'javascript:alert(1)',
    'https://user:word@api.example.com',
    'https://user@api.example.com',
    'https://api.example.com?x=1',
    'https://api.example.com#x',
    'https://api.example.com\\@evil.example',
    'https://api.example.com/a//b',
    'https://api.example.com/../x',
    'https://api.example.com/%2e%2e/x',
  ])('refuses %s', (baseUrl) => expect(() => resolveAddress(baseUrl, '/v1', false)).toThrow(/^createClient: baseUrl /));

  it.each([
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/a/../b',
    '/%2e%2e/b',
    '/a/%2E%2E',
    '/./a',
    '/a?x=1',
    '/a#b',
    '/a b',
    '/a\nb',
    'https://evil.example',
    '@evil.example:80//',
  ])('refuses the prefix %j', (pathPrefix) =>
    expect(() => resolveAddress('https://api.example.com', pathPrefix, false)).toThrow(/^createClient: pathPrefix /),
  );

  it('takes http for another host only with allowHttp', () => {
    expect(resolveAddress('http://10.0.0.1', '/v1', true).origin).toBe('http://10.0.0.1');
    expect(() => resolveAddress('ftp://10.0.0.1', '/v1', true)).toThrow(RangeError);
  });

  it('never shows a password', () => {
    expect(() => resolveAddress('https://me:pa55@api.example.com', '/v1', false)).toThrow(/^(?!.*pa55)/);
  });
});
