import { describe, expect, it } from 'vitest';
import { Secrets } from '../../../src/client/keys/Secrets.ts';

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const parsed = (body: Buffer): unknown => JSON.parse(body.toString());
const of = (...secrets: string[]): Secrets => {
  const all = new Secrets();
  for (const secret of secrets) all.add(secret);
  return all;
};

describe('Secrets', () => {
  const canary = 'c4n+ary/S3"cr\\et=';
  const escaped = Array.from(canary, (char) => String.raw`\u00${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');

  it.each([
    ['as it is', JSON.stringify(`you sent ${canary}!`)],
    ['with escaped slashes', JSON.stringify(`you sent ${canary}!`).replaceAll('/', String.raw`\/`)],
    ['with each character escaped', `"you sent ${escaped}!"`],
    ['in capitals, too', `"you sent ${escaped.replace(/[a-f]/g, (digit) => digit.toUpperCase()).replaceAll('\\U', '\\u')}!"`],
    ['percent-encoded', JSON.stringify(`you sent ${encodeURIComponent(canary)}!`)],
    [
      'percent-encoded in small letters',
      JSON.stringify(`you sent ${encodeURIComponent(canary).replace(/%../g, (hex) => hex.toLowerCase())}!`),
    ],
    ['as a form', JSON.stringify(`you sent ${new URLSearchParams([['', canary]]).toString().slice(1)}!`)],
  ])('takes a key out of JSON that is written %s', (_, text) => {
    const body = Buffer.from(`{"said":${text},"id":7}`);
    expect(parsed(of(canary).cleaned(body))).toEqual({ said: 'you sent [key]!', id: 7 });
    expect(of(canary).redact(text)).toBe('"you sent [key]!"');
  });

  const bytesOf = (char: string): string => char.charCodeAt(0).toString(16).padStart(2, '0');
  const each = (spell: (char: string) => string): string => Array.from(canary, spell).join('');
  const inXml: { readonly [char: string]: string } = { '"': '&quot;', '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&apos;' };
  const spelled: { readonly [how: string]: string } = {
    'percent-encoded twice': encodeURIComponent(encodeURIComponent(canary)),
    'with each character percent-encoded': each((char) => `%${bytesOf(char)}`),
    'with each character percent-encoded twice': each((char) => `%25${bytesOf(char).toUpperCase()}`),
    'in entities of XML': each((char) => inXml[char] ?? char),
    'in decimal entities': each((char) => `&#${char.charCodeAt(0)};`),
    'in hexadecimal entities': each((char) => `&#x${bytesOf(char)};`),
    'in hexadecimal entities with zeros': each((char) => `&#X00${bytesOf(char).toUpperCase()};`),
    'in entities that were escaped as XML': each((char) => `&amp;#${char.charCodeAt(0)};`),
    'as JSON': JSON.stringify(canary).slice(1, -1),
    'as JSON with each character escaped': each((char) => String.raw`\u00${bytesOf(char)}`),
    'as JSON in JSON': JSON.stringify(JSON.stringify(canary)).slice(3, -3),
    'percent-encoded, as JSON': encodeURIComponent(JSON.stringify(canary).slice(1, -1)),
    'in base64': Buffer.from(canary).toString('base64'),
    'in base64 of addresses': Buffer.from(canary).toString('base64url'),
    'in base64, percent-encoded': encodeURIComponent(Buffer.from(canary).toString('base64')),
    'in many ways at once': each((char) => [char, `%${bytesOf(char)}`, `&#${char.charCodeAt(0)};`, `%25${bytesOf(char)}`][char.charCodeAt(0) % 4]!).replaceAll('\\', '%5c'), // prettier-ignore
  };
  /** What base64 ends with may stay. */
  const bare = (text: unknown): string => String(text).replace(/%3D|=/g, '');

  it.each(Object.entries(spelled))('takes out a key %s', (_, echo) => {
    const said = `you sent ${echo}!`;
    const secrets = of(canary);
    const bodies = [
      json({ said }),
      Buffer.from(
        JSON.stringify({ said })
          .replaceAll('/', String.raw`\/`)
          .replaceAll('&', String.raw`\u0026`),
      ),
    ];
    const inner = (parsed(secrets.cleaned(json({ body: JSON.stringify({ said }) }))) as { readonly body: string }).body;
    const all = [
      secrets.redact(said),
      secrets.cleaned(Buffer.from(said)),
      ...bodies.map((body) => (parsed(secrets.cleaned(body)) as { readonly said: string }).said),
      (JSON.parse(inner) as { readonly said: string }).said,
    ];
    expect(all.map(bare)).toEqual(all.map(() => 'you sent [key]!'));
  });

  it('leaves a body alone that holds spelled letters and no key', () => {
    const body = json({ a: '%41%20b', b: '&#65;&amp;', c: 'a\\b"c', d: String.raw`\u0041` });
    expect(of(canary).cleaned(body)).toBe(body);
  });

  it('takes out letters that are no ASCII, and leaves other bytes alone', () => {
    const body = Buffer.concat([json({ said: 'pass word/ö+9 é' }), Buffer.from([0xff])]);
    const cleaned = of('pass word/ö+9').cleaned(body);
    expect([parsed(cleaned.subarray(0, -1)), cleaned.at(-1)]).toEqual([{ said: '[key] é' }, 0xff]);
  });

  it.each<[string, string, unknown]>([
    ['12345678', '{"id":12345678,"more":123456789,"text":"12345678"}', { id: 0, more: 123_456_789, text: '[key]' }],
    ['1234.5678', '[1234.5678,-1234.5678e2,"1234.5678"]', [0, -123_456.78, '[key]']],
    ['nothing12', String.raw`{"a":"line\nothing12","b":"nothing12"}`, { a: 'line\nothing12', b: '[key]' }],
    ['0041bcde', String.raw`{"a":"x\u0041bcde","b":"0041bcde"}`, { a: 'xAbcde', b: '[key]' }],
    ['[[[[[[[[', '[[[[[[[["[[[[[[[["]]]]]]]]', [[[[[[[['[key]']]]]]]]]],
    ['","id":"x', '{"a":"","id":"x"}', { a: '', id: 'x' }],
    ['null,null', '[null,null,"null,null"]', [null, null, '[key]']],
  ])('breaks no JSON with the key %s', (key, text, left) => {
    expect(parsed(of(key).cleaned(Buffer.from(text)))).toEqual(left);
    expect(parsed(of(key).cleaned(Buffer.from(text), 'short'))).toEqual(left);
    expect(JSON.parse(of(key).cleanedJson(text))).toEqual(left);
  });

  it.each(['a', 'id', '1', '"', '{', ':', 'true', '\\'])('takes the short key %s out of what is stored where it is a whole text', (key) => {
    const value = { id: `${key}b`, a: [1, true, key], '1': { id: key } };
    expect(of(key).cleaned(json(value))).toEqual(json(value));
    expect(parsed(of(key).cleaned(json(value), 'short'))).toMatchObject({ id: `${key}b`, '1': { id: '[key]' } });
  });

  it('takes a short key out of texts where it stands alone, and out of addresses after its parameter', () => {
    const secrets = new Secrets();
    secrets.add('a+0', 'api key');
    expect(secrets.redact('the key a+0 of data+0')).toBe('the key [key] of data+0');
    const address = '/v1/books?api+key=a%2B0&q=a%2B0b&api%20key=a%2B0';
    expect(secrets.cleanedText(address)).toBe('/v1/books?api+key=[key]&q=a%2B0b&api%20key=[key]');
    expect(parsed(secrets.cleaned(json({ next: address })))).toEqual({ next: '/v1/books?api+key=[key]&q=a%2B0b&api%20key=[key]' });
  });

  it('replaces the longest of secrets that contain each other', () => {
    expect(of('secret-one', 'secret-one-and-two').redact('secret-one-and-two')).toBe('[key]');
  });

  it('keeps the last passing secrets only', () => {
    const secrets = new Secrets(20);
    for (let i = 0; i < 30; i++) secrets.addPassing(`passing-${i}-secret`);
    expect([secrets.redact('passing-9-secret'), secrets.redact('passing-10-secret')]).toEqual(['passing-9-secret', '[key]']);
  });
});
