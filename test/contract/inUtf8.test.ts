import { describe, expect, it } from 'vitest';
import { inUtf8, decodeBody } from '../../src/contract/decodeBody.ts';
import { gzipSync } from 'node:zlib';

const text = '{"name":"Café Ångström"}';
const read = (body: Buffer, type = ''): string => inUtf8(body, type).toString();

describe('inUtf8', () => {
  it.each(['iso-8859-1', '"ISO-8859-1"', 'latin1', 'windows-1252'])('converts from charset=%s', (charset) =>
    expect(read(Buffer.from(text, 'latin1'), `application/json; Charset=${charset}; q=1`)).toBe(text),
  );

  it.each(['windows-1252', 'latin1'])('reads what %s has in place of control characters', (charset) =>
    expect(read(Buffer.from([0x80, 0x20, 0x93, 0x94, 0x9f]), `text/csv; charset=${charset}`)).toBe('€ “”Ÿ'),
  );

  it('converts UTF-16 with a byte order mark', () =>
    expect(read(Buffer.from(`\uFEFF${text}`, 'utf16le'), 'application/json;charset=utf-16')).toBe(text));

  const xml = `<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>`;
  it.each(['application/xml', 'text/xml; q=1', 'application/rss+xml', 'text/plain', ''])(
    'converts XML from the charset that it declares (%j)',
    (type) => expect(read(Buffer.from(xml, 'latin1'), type)).toBe(xml),
  );

  it.each([
    ['is UTF-8, whatever the charset says', Buffer.from(text), 'text/csv; charset=iso-8859-1'],
    ['has no charset', Buffer.from(text, 'latin1'), 'application/json'],
    ['begins as XML and is sent as JSON', Buffer.from(xml, 'latin1'), 'application/json'],
    ['has a charset that nobody knows', Buffer.from(text, 'latin1'), 'application/json; charset=x-unheard-of'],
  ])('leaves a body that %s', (_, body, type) => expect(inUtf8(body, type)).toBe(body));

  it.each([Buffer.from(text, 'latin1'), gzipSync(Buffer.from(text, 'latin1'))])('is applied to bodies, packed or not', (body) => {
    let decoded: Buffer | undefined;
    decodeBody(body, { 'content-type': 'application/json; charset=iso-8859-1' }, 1000, (_, plain) => (decoded = plain));
    expect(decoded?.toString()).toBe(text);
  });
});
