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
  const canary = 'c4n+ary/S3"cr\\et= é';
  const percent = encodeURIComponent(canary);
  const form = new URLSearchParams([['', canary]]).toString().slice(1);
  const inString = JSON.stringify(canary).slice(1, -1);
  const small = (text: string): string => text.replaceAll(/%../g, (hex) => hex.toLowerCase());
  const spelled: { readonly [how: string]: string } = {
    'as it is': inString,
    'with escaped slashes': inString.replaceAll('/', String.raw`\/`),
    'with letters beyond ASCII escaped': inString.replaceAll('/', String.raw`\/`).replaceAll('é', String.raw`\u00e9`),
    'with all but letters and digits escaped': inString.replaceAll(
      /[^A-Za-z\d"\\]/g,
      (char) => `\\u00${char.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
    'percent-encoded': percent,
    'percent-encoded in small letters': small(percent),
    'as a form': form,
    'as a form in small letters': small(form),
    'as a part of a next address': `/v1/books?page=2&key=${percent}&q=x`.replace(`key=${percent}`, form),
  };

  it.each(Object.entries(spelled))('takes out a key %s, and JSON stays JSON', (_, echo) => {
    const text = `"you sent ${echo}!"`;
    const said = `you sent ${echo.includes('?') ? '/v1/books?page=2&[key]&q=x' : '[key]'}!`;
    expect(parsed(of(canary).cleaned(Buffer.from(`{"said":${text},"id":7}`)))).toEqual({ said, id: 7 });
    expect(of(canary).redact(text)).toBe(JSON.stringify(said));
    expect(
      of(canary)
        .cleaned(Buffer.from(`<p>${text}</p>`))
        .toString(),
    ).toBe(`<p>"${said}"</p>`);
  });

  it('takes it out of a text that is no JSON', () => {
    expect(of(canary).redact(`you sent ${canary}!`)).toBe('you sent [key]!');
    expect(
      of(canary)
        .cleaned(Buffer.from(`you sent ${canary}!`))
        .toString(),
    ).toBe('you sent [key]!');
  });

  it('returns the same body if there is no key in it, though it looks like one', () => {
    const body = json({ a: 'c4n', b: 'S3"cr', c: percent.slice(0, -1) });
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
    expect(JSON.parse(of(key).cleanedJson(text))).toEqual(left);
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
